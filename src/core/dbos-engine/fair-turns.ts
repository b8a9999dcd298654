import type { Clock } from "../protocol/runtime.ts";
import { keepFair } from "../store/cluster/claim-rows.ts";
import type { OpenCluster } from "../store/cluster/cluster.ts";

/** How soon it is looked again while claims wait, and while none does. Milliseconds. */
const LOOK_MS = { crowded: 250, idle: 1_000 };

/** Has channels take turns where more sessions wait than processes have places for, until the signal aborts. */
export async function takeTurns(
  { connection, tell }: Pick<OpenCluster, "connection" | "tell">,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const { waiting, moved } = await keepFair(connection);
    if (moved > 0) await tell("claims", "");
    await clock.sleep(waiting > 0 ? LOOK_MS.crowded : LOOK_MS.idle, signal).catch(() => undefined); // aborted: the loop ends
  }
}
