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
  readonly model: string;
  readonly registry: ListingRegistry;
  readonly toolbox: { tools(): readonly Tool[]; readonly sandbox: { ready(): Promise<void> } };
  /** Reads the skills beneath a directory. */
  readonly skills: (sandboxRoot: string) => unknown;
  /** Whether a run has begun in this process, which does the same work itself. */
  readonly hasWorked: () => boolean;
}

/** Time by which reachable platforms have connected. In milliseconds. */
const SETTLED_MS = 500;

/**
 * Does in advance what is slow the first time, so that the first message need not wait for it. A message that arrives
 * meanwhile waits for one step at most and ends the warm-up. What fails here fails again, visibly, when it is needed.
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

/** Asks the provider about a model of which nothing is known, for example its context size, before a run needs it. */
async function listUnknown({ registry, model: ref }: WarmUpParts): Promise<void> {
  const { facts, provider } = await registry.resolve(ref);
  if (facts.isAssumed === true) await registry.list(provider.id);
}

/** A start leaves enough garbage to delay the first message by some ten milliseconds. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  runInNewContext("gc()");
}

/** Wraps a session handler and records whether it has run a session. */
export function trackWork(handler: SessionHandler): {
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
