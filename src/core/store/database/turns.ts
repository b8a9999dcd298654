import type { Client } from "./client.ts";

/** Any number that no other use of advisory locks in the database takes. */
const TURNS = 4_243;

/** What is done one after the other: give messages of threads their numbers, count tries to sign in, make accounts. */
export type Turn = "threads" | "logins";

/** Goes on once no other transaction has this turn, and has it until its own transaction ends. On PostgreSQL alone. */
export async function takeTurn(db: Client, turn: Turn): Promise<void> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${TURNS}::int, hashtext(${turn}))`;
}
