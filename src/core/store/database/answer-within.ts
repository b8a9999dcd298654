import { ConnectionLost } from "../../protocol/database-failure.ts";
import type { Clock } from "../../protocol/runtime.ts";

/** Further wait, because a process that was stopped receives an answer only after its expired timers. Milliseconds. */
const THAWING_MS = 250;

/**
 * Throws ConnectionLost if PostgreSQL does not answer in time, even if the connection looks intact, since a network that
 * drops all packets breaks none.
 */
export async function answerWithin<T>(ms: number, answer: Promise<T>, clock: Pick<Clock, "after">): Promise<T> {
  const late = Promise.withResolvers<never>();
  const refuse = () => late.reject(new ConnectionLost("the database does not answer"));
  let cancel = clock.after(ms, () => {
    cancel = clock.after(THAWING_MS, refuse);
  });
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    cancel();
  }
}
