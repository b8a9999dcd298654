import { ProviderError } from "../../protocol/errors.ts";
import type { Log } from "../../protocol/log.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import type { ToolSpec } from "../provider.ts";
import { createProviderRegistry, type ProviderSettings } from "./registry.ts";

export interface PrewarmedCall {
  /** `provider/model`. */
  readonly ref: string;
  readonly tools: readonly ToolSpec[];
  readonly settings: Readonly<Record<string, ProviderSettings>>;
  readonly runtime: Runtime;
  readonly log: Log;
}

/**
 * Does everything that a model call does before its request is sent, above all loading the SDK. Nothing is sent. The
 * demo model, which sends nothing anyway, answers.
 */
export async function prewarmCall(call: PrewarmedCall, signal: AbortSignal): Promise<void> {
  const { ref, tools, settings, runtime } = call;
  const log = call.log.child({ prewarming: true });
  const registry = createProviderRegistry({ settings, runtime, log, fetch: unsent });
  const { provider, model } = await registry.resolve(ref);
  const content = [{ type: "text" as const, text: "pre-warming" }];
  const message = { id: runtime.ids.next("msg"), role: "user" as const, content, createdAt: runtime.clock.now() };
  try {
    await provider.createMessage({ model, system: [], messages: [message], tools, maxTokens: 1 }, signal);
  } catch (error) {
    if (!(error instanceof ProviderError && error.code === "network")) throw error;
  }
}

function unsent(): Promise<never> {
  return Promise.reject(new ProviderError("network", "pre-warming sends nothing"));
}
