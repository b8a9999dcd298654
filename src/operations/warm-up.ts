import { setImmediate as nextTurn } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Config } from "../config.ts";
import { toolSpecs } from "../core/agent/tool-specs.ts";
import { textTokens } from "../core/context/token-estimate.ts";
import type { SessionHandler } from "../core/engine/engine.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import type { ListingRegistry } from "../core/providers/provider.ts";
import type { LiveProviders } from "../core/providers/registry/live-providers.ts";
import { prewarmCall } from "../core/providers/registry/prewarm.ts";
import { prewarmStore } from "../core/store/prewarm.ts";
import type { Store } from "../core/store/store.ts";
import type { Tool } from "../core/tool.ts";

export interface WarmUpParts {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly config: Pick<Config, "sandbox">;
  readonly providers: LiveProviders;
  /** What answers where nothing else is chosen. */
  readonly model: string;
  readonly registry: ListingRegistry;
  readonly toolbox: { tools(): readonly Tool[]; readonly sandbox: { ready(): Promise<void> } };
  /** Reads the skills beneath a directory. */
  readonly skills: (sandboxRoot: string) => unknown;
  /** A run that goes on, or has been, does all of it for itself. */
  readonly hasWorked: () => boolean;
}

/** By then the platforms that are there have connected. Milliseconds. */
const SETTLED_MS = 500;

/**
 * Does what a process does slowly the first time, so that the first message does not wait for it. Whoever
 * writes meanwhile waits for one step at most, and ends it. What fails here fails again, visibly, where it is needed.
 */
export async function warmUp(parts: WarmUpParts, signal: AbortSignal): Promise<void> {
  const { store, runtime, log, config, providers, model: ref } = parts;
  const tools = () => toolSpecs(parts.toolbox.tools());
  const steps: readonly (() => unknown)[] = [
    () => prewarmStore(store, runtime),
    () => parts.skills(config.sandbox),
    () => textTokens(JSON.stringify(tools())),
    () => prewarmCall({ ref, tools: tools(), settings: providers.settings, runtime, log }, signal),
  ];
  try {
    await runtime.clock.sleep(SETTLED_MS, signal);
    for (const step of steps) {
      if (parts.hasWorked()) break;
      await step();
      await nextTurn();
      if (signal.aborted) return;
    }
    if (!parts.hasWorked()) await parts.toolbox.sandbox.ready();
    await listUnknown(parts);
    if (!parts.hasWorked()) collectGarbage();
  } catch (error) {
    if (!signal.aborted) log.debug({ err: error }, "warm_up_failed");
  }
}

/** A model that nothing is known of: its provider may say how much it reads. Asked now, never beside an answer. */
async function listUnknown({ registry, model: ref }: WarmUpParts): Promise<void> {
  const { facts, provider } = await registry.resolve(ref);
  if (facts.isAssumed === true) await registry.list(provider.id);
}

/** A start leaves so much garbage that the first message would pay for it, some ten milliseconds. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
}

/** A handler of sessions, and whether it has begun with one. */
export function watched(handler: SessionHandler): {
  readonly handler: SessionHandler;
  readonly hasWorked: () => boolean;
} {
  let hasWorked = false;
  const run: SessionHandler["run"] = (wake, ctx) => {
    hasWorked = true;
    return handler.run(wake, ctx);
  };
  return { handler: { run, queued: (...given) => handler.queued(...given) }, hasWorked: () => hasWorked };
}
