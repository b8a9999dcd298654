import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Store } from "../../../src/core/store/store.ts";
import type { WriteAudit } from "../../../src/feature-host.ts";
import { createAudit } from "../../../src/features/audit/audit.ts";
import { auditRoutes } from "../../../src/features/audit/routes.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { CountingLog } from "../../support/counting-log.ts";
import { useEmptiedDatabases, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { loginWorld } from "../accounts/login-world.ts";

const emptied = useEmptiedDatabases();
const emptiedPostgres = useEmptiedPostgres();

describe.each([
  ["SQLite", emptied],
  ["PostgreSQL", async () => (await emptiedPostgres()).store],
])("on %s", (_name, open) => {
  test("entries and decisions are read as one paginated list, filtered by person, act and time", async () => {
    const { store, audit, clock } = opened(await open());
    for (let count = 0; count < 150; count += 1) {
      // Two entries share each time, so that a page may end between them.
      clock.set(1_000_000 + Math.floor(count / 2) * 1_000);
      await audit({ by: count % 3 === 0 ? "ana" : "bob", act: "settings.changed", about: `setting ${count}` });
    }
    await decide(store, { id: "run_1:1", decidedBy: "@ana", status: "allowed", at: 1_050_500 });
    await decide(store, { id: "run_1:2", decidedBy: "@bob", status: "denied", at: 1_050_500 });
    await decide(store, { id: "run_1:3", decidedBy: null, status: "expired", at: 1_050_500 });

    const first = await list(store);
    const second = await list(store, { after: first.next ?? "" });
    const all = [...first.rows, ...second.rows];
    expect([first.rows.length, second.rows.length, second.next]).toEqual([100, 52, null]);
    expect(all.map(({ at }) => at)).toEqual(all.map(({ at }) => at).toSorted((a, b) => b - a));
    expect(new Set(all.map(({ id }) => id)).size).toBe(152);

    const byAna = await list(store, { by: "ana" });
    expect(byAna.rows.length).toBe(51);
    expect(byAna.rows.filter(({ act }) => act === "approval.allowed")).toMatchObject([
      { by: "ana", about: "delete the branch old", details: "always", sessionId: "session_1" },
    ]);
    expect((await list(store, { act: "approval.denied" })).rows).toMatchObject([{ by: "bob" }]);
    expect((await list(store, { act: "settings.changed", by: "@ana" })).rows.length).toBe(50);
    const within = await list(store, { since: "1050000", until: "1051000" });
    expect(within.rows.map(({ at }) => at)).toEqual([1_050_500, 1_050_500, 1_050_000, 1_050_000]);
    expect(await choices(store)).toEqual({
      people: ["ana", "bob"],
      acts: ["approval.allowed", "approval.denied", "settings.changed"],
    });
  });
});

test("an act whose audit entry cannot be written is logged and does not fail", async () => {
  const log = new CountingLog();
  const store = await emptied();
  const broken: Store = { ...store, transaction: () => Promise.reject(new Error("the disk is full")) };
  await createAudit({ store: broken, runtime: systemRuntime(), log })({
    by: "ana",
    act: "settings.changed",
    about: "z",
  });
  expect(log.warnings).toBe(1);
});

test("the log is readable by admins and the holder of this machine's page key only", async () => {
  const store = await emptied();
  const world = await loginWorld({
    store,
    routes: new Map([["audit", auditRoutes({ store, hideIn: (value) => value })]]),
  });
  for (const role of ["viewer", "operator", "admin"]) await world.addAccount(role, role);
  for (const [name, status] of [
    ["viewer", 403],
    ["operator", 403],
    ["admin", 200],
  ] as const) {
    const browser = world.browser();
    await browser.signIn(name);
    expect((await browser.get("/features/audit/list")).status).toBe(status);
    expect((await browser.get("/features/audit/choices")).status).toBe(status);
  }
  expect((await world.browser().get("/features/audit/list")).status).toBe(401);
});

test("sign-ins, failed attempts and sign-outs are recorded, without what was typed", async () => {
  const store = await emptied();
  const world = await loginWorld({ store });
  await world.addAccount("ana");
  const browser = world.browser();
  await browser.signIn("ana", "not her password");
  await browser.signIn("my secret password", "x");
  await browser.signIn("ana");
  const socket = await browser.open();
  if (typeof socket === "number") throw new Error("refused");
  const { changeToken } = await socket.next("you");
  await browser.post("/logout", {}, { "x-deckhand-change": changeToken });
  const { rows } = await list(store);
  expect(rows.toReversed().map(({ by, act, about, details }) => [by, act, about, details])).toEqual([
    ["", "login.failed", "ana", "from 127.0.0.1"],
    ["", "login.failed", "an unknown name", "from 127.0.0.1"],
    ["ana", "login.succeeded", "ana", "from 127.0.0.1"],
    ["ana", "login.ended", "ana", ""],
  ]);
});

const pageSchema = z.object({
  rows: z.array(
    z.object({
      id: z.string(),
      at: z.number(),
      by: z.string(),
      act: z.string(),
      about: z.string(),
      details: z.string(),
      sessionId: z.string().nullable(),
    }),
  ),
  next: z.string().nullable(),
});

function opened(store: Store): { store: Store; audit: WriteAudit; clock: ManualClock } {
  const clock = new ManualClock();
  const runtime = { ...systemRuntime(), clock };
  return { store, audit: createAudit({ store, runtime, log: silentLog }), clock };
}

async function ask(store: Store, path: string, query: Record<string, string> = {}): Promise<unknown> {
  const route = auditRoutes({ store, hideIn: (value) => value }).find((each) => each.path === path);
  const viewer = { kind: "operator" } as const;
  const asked = {
    viewer,
    role: "admin",
    by: "operator",
    query: new URLSearchParams(query),
    origin: "http://127.0.0.1:3000",
    body: undefined,
  } as const;
  const answer = await route?.handle(asked);
  expect(answer?.status).toBe(200);
  return answer?.body;
}

async function list(store: Store, query: Record<string, string> = {}): Promise<z.infer<typeof pageSchema>> {
  return pageSchema.parse(await ask(store, "/list", query));
}

function choices(store: Store): Promise<unknown> {
  return ask(store, "/choices");
}

interface Decision {
  readonly id: string;
  readonly decidedBy: string | null;
  readonly status: "allowed" | "denied" | "expired";
  readonly at: number;
}

async function decide(store: Store, { id, at, ...decision }: Decision): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.approvals.create({
      id,
      sessionId: "session_1",
      runId: "run_1",
      turn: Number(id.at(-1)),
      calls: [
        {
          callId: "c",
          tool: "bash",
          input: "{}",
          grant: { key: "bash:x", label: "x" },
          title: "delete the branch `old`",
        },
      ],
      people: { requester: { id: "slack:U1", name: "ana" }, others: [], mayRemember: true },
      createdAt: at - 500,
      expiresAt: at + 500,
    });
    await tx.approvals.decide(id, { ...decision, scope: decision.status === "allowed" ? "always" : null, at });
  });
}
