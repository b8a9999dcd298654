import { whenAborted } from "../hold-roles.ts";
import type { Tool } from "../tool.ts";
import { waitAtMost } from "../wait-at-most.ts";
import type { RunnerOptions } from "./runner-options.ts";

/** Maximum time that a call waits for the server of its tool, in milliseconds. */
const MAX_MS = 20_000;

/**
 * Waits until it is known whether the named tools exist, the time limit has passed, or the run is aborted. Returns all
 * tools.
 */
export async function awaitTools(
  names: readonly string[],
  { tools, toolKnown, runtime }: Pick<RunnerOptions, "tools" | "toolKnown" | "runtime">,
  signal: AbortSignal,
): Promise<readonly Tool[]> {
  const known = Promise.all(names.map((name) => toolKnown(name)));
  await waitAtMost(MAX_MS, Promise.race([known, whenAborted(signal)]), runtime.clock);
  return tools();
}
