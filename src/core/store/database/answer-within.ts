import { ConnectionLost } from "../../protocol/database-failure.ts";
import type { Clock } from "../../protocol/runtime.ts";

/** Throws ConnectionLost if PostgreSQL does not answer in time, even if the connection looks intact. */
export async function answerWithin<T>(ms: number, answer: Promise<T>, clock: Pick<Clock, "sleep">): Promise<T> {
  const answered = new AbortController();
  const late = clock.sleep(ms, answered.signal).then(() => {
    throw new ConnectionLost("the database does not answer");
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    late.catch(() => undefined); // The answer has arrived.
    answered.abort();
  }
}
