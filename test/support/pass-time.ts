import type { ManualClock } from "./manual-clock.ts";

/** Advances the time until the call is over. */
export async function passTime(clock: ManualClock, call: Promise<unknown>): Promise<void> {
  const progress = { over: false };
  const finish = () => {
    progress.over = true;
  };
  const ended = call.then(finish, finish);
  while (!progress.over) await clock.advance(1_000);
  await ended;
}
