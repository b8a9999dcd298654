import { describe, expect, test } from "vitest";
import type { Store } from "../../../src/core/store/store.ts";
import { useEmptiedFiles, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { type SeededSession, seedSessions } from "./seed.ts";
import { account, world } from "./sessions-world.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 2, 10, 1);
const ASKED = { by: "day", days: 7, model: "", channel: "", person: "", job: "" } as const;

/** ana is in C1, bob in C1 and C2. */
const SESSIONS: readonly SeededSession[] = [
  { id: "a", channelKey: "slack:C1", title: "today", outcome: "end_turn", costUsd: 1, at: NOW - 5_000 },
  { id: "b", channelKey: "slack:C2", title: "elsewhere", outcome: "end_turn", costUsd: 2, at: NOW - 5_000 },
  { id: "c", channelKey: "slack:C1", title: "before", outcome: "end_turn", costUsd: 4, at: NOW - 2 * DAY_MS },
  { id: "d", channelKey: "slack:C3", title: "of others", outcome: "end_turn", costUsd: 8, at: NOW - 3 * DAY_MS },
  { id: "e", channelKey: "slack:C1", title: "too old", outcome: "end_turn", costUsd: 16, at: NOW - 8 * DAY_MS },
];

describe.each([
  ["SQLite", useEmptiedFiles()],
  ["PostgreSQL", useEmptiedPostgres()],
])("on %s", (_name, emptied) => {
  const opened = async () => {
    const { store } = await emptied();
    await seedSessions(store, SESSIONS);
    await ranJobs(store);
    const { usage, clock } = world({ store });
    clock.set(NOW);
    return { store, usage };
  };

  test("the sums of every grouping equal the ledger's total", async () => {
    const { store, usage } = await opened();
    const whole = await store.usage.total({ since: Date.UTC(2026, 2, 4) });
    for (const by of ["day", "model", "channel", "person"] as const) {
      const { total, perDay, rows, isAll } = await usage({ kind: "operator" }, { ...ASKED, by });
      expect({ by, isAll, ...total }).toEqual({ by, isAll: true, ...whole });
      expect(perDay).toEqual([0, 0, 0, 8, 4, 0, 3]);
      if (by !== "day") expect(rows.reduce((sum, { costUsd }) => sum + costUsd, 0)).toBe(whole.costUsd);
    }
    const jobs = await usage({ kind: "operator" }, { ...ASKED, by: "job" });
    const { name, costUsd, occurrences } = (await store.usage.sumsByJob({ since: Date.UTC(2026, 2, 4) }))[0] ?? {};
    expect(jobs.rows[0]).toMatchObject({ label: name, costUsd, calls: occurrences });
  });

  test("a person sees the spending of visible channels, and no names of others", async () => {
    const { usage } = await opened();
    const ana = account(["slack:U0ANA"]);
    const mine = await usage(ana, { ...ASKED, by: "channel" });
    expect(mine).toMatchObject({ isAll: false, total: { costUsd: 5 }, perDay: [0, 0, 0, 0, 4, 0, 1] });
    expect(mine.rows.map(({ key }) => key)).toEqual(["slack:C1"]);
    // Nor by an address that somebody makes up.
    expect((await usage(ana, { ...ASKED, channel: "slack:C2" })).total.calls).toBe(0);
    expect((await usage(ana, { ...ASKED, by: "job" })).rows.map(({ label }) => label)).toEqual(["tidy"]);
    expect((await usage(ana, { ...ASKED, job: "slack:C2 board" })).total.calls).toBe(0);
  });

  test("an admin sees total spending, with unnamed entries for channels that they are not in", async () => {
    const { usage } = await opened();
    const admin = account(["slack:U0ANA"], "admin");
    const { rows, isAll } = await usage(admin, { ...ASKED, by: "channel" });
    expect(isAll).toBe(true);
    expect(rows.map(({ key, label, costUsd }) => [key, label, costUsd])).toEqual([
      [null, "private channels", 10],
      ["slack:C1", "#c1 · Acme · Slack", 5],
    ]);
    const jobs = await usage(admin, { ...ASKED, by: "job" });
    expect(jobs.rows.map(({ key, label }) => [key, label])).toEqual([
      [null, "jobs in private channels"],
      ["slack:C1 tidy", "tidy"],
    ]);
    expect((await usage(admin, { ...ASKED, channel: "slack:C2" })).total.calls).toBe(0);
  });

  test("a chosen row can be broken down further", async () => {
    const { usage } = await opened();
    const operator = { kind: "operator" } as const;
    const channel = await usage(operator, { ...ASKED, by: "model", channel: "slack:C1" });
    expect(channel.rows).toMatchObject([{ key: "anthropic/claude-sonnet-5-5", costUsd: 5, calls: 2 }]);
    expect(channel.chosen).toEqual([{ by: "channel", label: "#c1 · Acme · Slack" }]);
    const job = await usage(operator, { ...ASKED, job: "slack:C1 tidy" });
    expect(job).toMatchObject({ total: { costUsd: 0.5, calls: 2 }, perDay: [0, 0, 0, 0, 0, 0.25, 0.25] });
    const nobody = await usage(operator, { ...ASKED, person: "slack:U0NOBODY" });
    expect(nobody.total.calls).toBe(0);
  });
});

async function ranJobs(store: Store): Promise<void> {
  const ran = [
    { jobName: "tidy", channelId: "slack:C1", at: NOW - 1_000, costUsd: 0.25 },
    { jobName: "tidy", channelId: "slack:C1", at: NOW - DAY_MS, costUsd: 0.25 },
    { jobName: "board", channelId: "slack:C2", at: NOW - 2_000, costUsd: 0.75 },
  ];
  await store.transaction((tx) =>
    tx.tables(async (db) => {
      await db.jobOccurrence.createMany({
        data: ran.map(({ at, ...job }, index) => ({
          ...job,
          id: `occurrence-${index}`,
          jobId: job.jobName,
          scheduledFor: new Date(at),
          trigger: "schedule",
          status: "succeeded",
          executedAt: new Date(at),
          createdAt: new Date(at),
        })),
      });
    }),
  );
}
