import { atMost } from "../at-most.ts";
import { aborted } from "../hold-roles.ts";
import type { Tool } from "../tool.ts";
import type { RunnerOptions } from "./runner-options.ts";

/** How long a call waits for what its tool comes from. Milliseconds. */
const MOST_MS = 20_000;

/** The tools once it is known whether there are these among them, or the time for that is over, or the run is. */
export async function awaitTools(
  names: readonly string[],
  { tools, toolKnown, runtime }: Pick<RunnerOptions, "tools" | "toolKnown" | "runtime">,
  signal: AbortSignal,
): Promise<readonly Tool[]> {
  const known = Promise.all(names.map((name) => toolKnown(name)));
  await atMost(MOST_MS, Promise.race([known, aborted(signal)]), runtime.clock);
  return tools();
}
