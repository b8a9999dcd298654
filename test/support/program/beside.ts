import { Client } from "pg";
import { onTestFinished } from "vitest";
import { until } from "./bot.ts";

/**
 * For use in the middle of a PostgreSQL transaction. The returned function resolves when somebody else's work is done,
 * or can only continue after this transaction has ended.
 */
export async function besideOn(url: string): Promise<(other: Promise<unknown>) => Promise<void>> {
  const observer = new Client({ connectionString: url });
  await observer.connect();
  onTestFinished(() => observer.end());
  const isHeldUp = async () => {
    const { rows } = await observer.query("SELECT 1 FROM pg_locks WHERE NOT granted");
    return rows.length > 0;
  };
  return async (other) => {
    let isDone = false;
    const settled = () => {
      isDone = true;
    };
    other.then(settled, settled);
    await until(async () => isDone || (await isHeldUp()), { what: () => "what somebody else does" });
  };
}
