import { Client } from "pg";
import { openStore } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { seedSessions } from "./seed.ts";

/** Number of rows of each kind. */
export interface Team {
  readonly sessions: number;
  readonly jobs: number;
  readonly memories: number;
}

/** Each of these is seen to by the caller: `slack:C90`, `slack:C91`, … */
export const CHANNELS = 40;

export const LARGE_TEAM: Team = { sessions: 10_000, jobs: 1_000, memories: 10_000 };

const MESSAGES = 10;
const RUNS_OF_A_JOB = 20;

/**
 * Fills a PostgreSQL that has one job and one memory with sessions of ten messages each, jobs that are paused, and
 * memories of the memory's channel. One row of each kind and channel is written by the program, the others are copied
 * within the database.
 */
export async function seedTeam(url: string, team: Team): Promise<void> {
  const store = await openStore(url, systemRuntime());
  await seedSessions(
    store,
    Array.from({ length: CHANNELS }, (_, index) => ({
      id: `s${index}`,
      channelKey: `slack:C9${index}`,
      title: `number ${index} asks for something`,
      said: Array.from({ length: MESSAGES }, (_line, line) => `line ${line} of ${index}: ${"words ".repeat(20)}`),
      outcome: "end_turn",
      costUsd: 0.01,
      at: Date.now() - 60_000 * index,
    })),
  );
  await store.close();
  const database = new Client({ connectionString: url });
  await database.connect();
  try {
    await copySessions(database, team.sessions / CHANNELS);
    await copyJobs(database, team.jobs);
    await copyMemories(database, team.memories);
    await database.query("ANALYZE");
  } finally {
    await database.end();
  }
}

/** Columns of a copy, as SQL; the other columns are the row's. */
type Changed = Readonly<Record<string, string>>;

interface Copied {
  readonly table: string;
  readonly where: string;
  /** Number of rows afterwards, including the original. */
  readonly copies: number;
}

async function copy(database: Client, { table, where, copies }: Copied, changed: Changed): Promise<void> {
  const columns = Object.entries(changed).flatMap(([name, sql]) => [`'${name}'`, sql]);
  await database.query(
    `INSERT INTO "${table}" SELECT (jsonb_populate_record(t, jsonb_build_object(${columns.join()}))).*
     FROM "${table}" t, generate_series(1, ${copies - 1}) n WHERE ${where}`,
  );
}

const another = (column: string) => `t."${column}" || '-' || n`;
const earlier = (column: string) => `t."${column}" - n * interval '1 hour'`;

async function copySessions(database: Client, copies: number): Promise<void> {
  const ours = { where: `t."key" LIKE 'seed:%'`, copies };
  const session = { sessionId: another("sessionId") };
  const run = { ...session, runId: another("runId") };
  await copy(
    database,
    { ...ours, table: "Session" },
    { id: another("id"), key: another("key"), updatedAt: earlier("updatedAt") },
  );
  const theirs = { where: `t."sessionId" IN (SELECT "id" FROM "Session" WHERE "key" LIKE 'seed:%')`, copies };
  const numbered = (column: string) => `t."${column}" + n * 1000`;
  await copy(database, { ...theirs, table: "InboxEvent" }, { ...run, seq: numbered("seq"), key: another("key") });
  await copy(
    database,
    { ...theirs, table: "Run" },
    { ...session, id: another("id"), eventSeq: numbered("eventSeq"), endedAt: earlier("endedAt") },
  );
  await copy(database, { ...theirs, table: "Message" }, { ...run, id: another("id") });
  await copy(database, { ...theirs, table: "Usage" }, { ...run, createdAt: earlier("createdAt") });
}

/** Copies the first memory with its words, so that a search for these finds all copies. */
async function copyMemories(database: Client, copies: number): Promise<void> {
  await copy(
    database,
    { table: "Memory", where: "true", copies },
    { seq: `t."seq" + n`, id: another("id"), text: `t."text" || ' ' || n` },
  );
}

async function copyJobs(database: Client, copies: number): Promise<void> {
  await database.query('UPDATE "Job" SET "enabled" = false');
  const channel = `'C9' || (n % ${CHANNELS})`;
  await copy(
    database,
    { table: "Job", where: "true", copies },
    {
      id: another("id"),
      name: another("name"),
      nameKey: another("nameKey"),
      channelId: `'slack:' || ${channel}`,
      thread: `replace(t."thread", '"C90"', '"' || ${channel} || '"')`,
    },
  );
  const day = "now() - n * interval '1 day'";
  await database.query(
    `INSERT INTO "JobOccurrence" ("id", "jobId", "jobName", "channelId", "scheduledFor", "trigger", "status",
       "success", "createdAt", "executedAt", "costUsd")
     SELECT j."id" || ':' || n, j."id", j."name", j."channelId", ${day}, 'schedule', 'succeeded', true, ${day}, ${day}, 0.01
     FROM "Job" j, generate_series(1, ${RUNS_OF_A_JOB}) n`,
  );
}
