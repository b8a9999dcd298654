import { Client } from "pg";
import { onTestFinished } from "vitest";
import { until } from "./bot.ts";

/**
 * For the middle of a transaction on a PostgreSQL database: what it answers resolves when what somebody else does is done,
 * or can only go on once this transaction has ended.
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
