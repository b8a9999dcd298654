import type { Client } from "./client.ts";

/** An arbitrary number that no other advisory lock in the database uses. */
const TURNS = 4_243;

/** Work done one at a time: numbering messages of threads; counting attempts to sign in and creating accounts. */
export type AdvisoryLock = "threads" | "logins";

/** Waits until no other transaction has this turn, then holds it until its own transaction ends. PostgreSQL only. */
export async function takeAdvisoryLock(db: Client, turn: AdvisoryLock): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${TURNS}::int, hashtext(${turn}))`;
}
