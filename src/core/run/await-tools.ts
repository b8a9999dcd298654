import type { Tool } from "../tool.ts";
import type { RunnerOptions } from "./runner-options.ts";

/** How long a call waits for what its tool comes from. Milliseconds. */
const MOST_MS = 20_000;

/** The tools once it is known whether there are these among them, or the time for that is over, or the run is. */
export async function awaitTools(
  names: readonly string[],
  { tools, toolKnown, runtime: { clock } }: Pick<RunnerOptions, "tools" | "toolKnown" | "runtime">,
  signal: AbortSignal,
): Promise<readonly Tool[]> {
  const isKnown = new AbortController();
  const known = Promise.all(names.map(async (name) => toolKnown(name)));
  const longEnough = clock.sleep(MOST_MS, AbortSignal.any([signal, isKnown.signal])).catch(() => {}); // known, or over
  await Promise.race([known, longEnough]);
  isKnown.abort();
  return tools();
}
