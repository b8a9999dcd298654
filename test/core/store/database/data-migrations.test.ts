import { cpSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Runtime } from "../../../../src/core/protocol/runtime.ts";
import type { Client, DatabaseClient } from "../../../../src/core/store/database/client.ts";
import { MIGRATIONS } from "../../../../src/core/store/database/migrate.ts";
import { openPostgresql } from "../../../../src/core/store/database/postgresql.ts";
import { openSqlite } from "../../../../src/core/store/database/sqlite.ts";
import { toolCallReads } from "../../../../src/core/store/run/tool-calls.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { type Postgres, startPostgres } from "../../../support/database/postgres.ts";
import { tempDirectory } from "../../../support/temp-directory.ts";

/** Values stored by older versions read like today's once the migrations have run. */

let postgres: Postgres;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

const DATABASES = {
  sqlite: { open: openSqlite, url: () => Promise.resolve(`file:${path.join(tempDirectory(), "deckhand.db")}`) },
  postgresql: {
    open: (url: string, migrations: string, runtime: Runtime) => openPostgresql({ url }, migrations, runtime),
    url: () => postgres.createEmptyDatabase(),
  },
} as const;

/** Copies the migrations that precede `first`. */
function migrationsBefore(all: string, first: string): string {
  const older = path.join(tempDirectory(), "older");
  cpSync(all, older, { recursive: true });
  const later = readdirSync(older).filter((name) => /^\d{14}_/.test(name) && name >= first);
  for (const name of later) rmSync(path.join(older, name), { recursive: true });
  return older;
}

describe.each(["sqlite", "postgresql"] as const)("on %s", (kind) => {
  /** A database that `write` filled before the migration `first`, after all migrations have run. */
  async function migrated(first: string, write: (client: Client) => Promise<unknown>): Promise<DatabaseClient> {
    const { open, url } = DATABASES[kind];
    const address = await url();
    const older = await open(address, migrationsBefore(MIGRATIONS[kind], first), systemRuntime());
    await older.$transaction(write);
    await older.$disconnect();
    return open(address, MIGRATIONS[kind], systemRuntime());
  }

  test("anonymous actions with the page's key are attributed to the operator, unknown people stay unknown", async () => {
    const client = await migrated("20261124080000", async (older) => {
      const by = { by: "", at: new Date(0) };
      await older.revision.create({
        data: { ...by, id: "rev_1", kind: "settings", name: "", number: 1, content: "{}" },
      });
      await older.revision.create({ data: { ...by, by: "ana", id: "rev_2", kind: "settings", name: "", number: 2 } });
      await older.auditEntry.create({ data: { ...by, id: "a", act: "settings.changed", about: "revision 1" } });
      await older.auditEntry.create({ data: { ...by, id: "b", act: "login.refused", about: "" } });
    });
    const [revisions, entries] = await Promise.all([
      client.revision.findMany({ orderBy: { number: "asc" } }),
      client.auditEntry.findMany({ orderBy: { id: "asc" } }),
    ]);
    await client.$disconnect();
    expect([...revisions, ...entries].map(({ by }) => by)).toEqual(["operator", "ana", "operator", ""]);
  });

  test("stored reasons of failed job runs lose their emoji, reports keep theirs", async () => {
    const row = {
      jobId: "job_1",
      jobName: "Watch",
      channelId: "slack:C1",
      trigger: "schedule",
      createdAt: new Date(0),
    };
    const rows = [
      { status: "failed", error: "✗ The account is empty. ✗ stays within." },
      { status: "cancelled", error: "⏹ Stopped by @ana. Nothing was changed." },
      { status: "failed", error: "The job is paused." },
      { status: "succeeded", message: "⚠ The model ended without a word. Ask again, or in other words." },
      { status: "succeeded", message: "⚠ Disk 3 is nearly full." },
    ];
    const client = await migrated("20261123071900", (older) =>
      older.jobOccurrence.createMany({
        data: rows.map((each, at) => ({ ...row, ...each, id: `occ_${at}`, scheduledFor: new Date(at) })),
      }),
    );
    const kept = await client.jobOccurrence.findMany({ orderBy: { id: "asc" } });
    await client.$disconnect();
    expect(kept.map(({ error, message }) => error ?? message)).toEqual([
      "The account is empty. ✗ stays within.",
      "Stopped by @ana. Nothing was changed.",
      "The job is paused.",
      "The model ended without a word. Ask again, or in other words.",
      "⚠ Disk 3 is nearly full.",
    ]);
  });

  test("a pending approval keeps its preview digest and arguments", async () => {
    const call = {
      callId: "call_1",
      tool: "bash",
      input: '{"command":"echo","seal":"mine"}',
      grant: { key: "echo", label: "running echo" },
      title: "bash",
    };
    const row = { id: "run_1:1", sessionId: "ses_1", runId: "run_1", turn: 1, people: "{}", status: "pending" };
    const client = await migrated("20261123123600", (older) =>
      older.approval.create({
        data: {
          ...row,
          calls: JSON.stringify([{ ...call, seal: "sha" }, call]),
          expiresAt: new Date(1),
          createdAt: new Date(0),
        },
      }),
    );
    const kept = await client.approval.findMany();
    await client.$disconnect();
    expect(kept.map(({ calls }) => JSON.parse(calls) as unknown)).toEqual([[{ ...call, previewDigest: "sha" }, call]]);
  });

  test("a shell keeps its working directory", async () => {
    const client = await migrated(
      "20261123124047",
      (older) => older.$executeRaw`
        INSERT INTO "ToolCall" ("runId", "callId", "sessionId", "turn", "position", "name", "input", "status", "carry", "endedAt")
        VALUES ('run_1', 'call_1', 'ses_1', 1, 0, 'bash', '{}', 'ended', 'the state', CURRENT_TIMESTAMP)`,
    );
    const state = await toolCallReads(client).toolState("ses_1", "bash");
    await client.$disconnect();
    expect(state).toBe("the state");
  });
});
