import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { BudgetAccount, BudgetSettings } from "../../../src/core/budget/limits.ts";
import { openStore, type Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { createSession } from "../../contracts/engine-recorder.ts";
import { type Postgres, startPostgres } from "../../support/database/postgres.ts";
import type { Spending } from "./budget-process.ts";

const PROGRAM = path.join(import.meta.dirname, "budget-process.ts");
const PROCESSES = 3;
const RUNS = 2;
const LIMIT_USD = 40;
/** A call that could spend less than this is not begun, so up to this much of a limit may remain unspent. */
const MIN_CALL_USD = 2.56;
/** Tolerance for floating-point sums, which depend on the order of the summands. */
const ROUNDING_USD = 1e-9;

let postgres: Postgres;

beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres.stop());

/** A database for the runs of one limit. */
async function open() {
  const url = await postgres.createDatabase();
  const store = await openStore(url, systemRuntime());
  onTestFinished(() => store.close());
  return { url, store };
}

/** The accounts of each process's runs; `common` is what they share, to which the limit applies. */
async function accounts(store: Store, common: Partial<BudgetAccount>): Promise<BudgetAccount[][]> {
  const account = async (n: number): Promise<BudgetAccount> => {
    const sessionId = common.sessionId ?? (await createSession(store));
    const own = { sessionId, runId: `run_${n}`, personId: `slack:U${n}`, channelId: `slack:C${n}`, isJob: false };
    await store.transaction((tx) => tx.runs.begin({ id: own.runId, sessionId, eventSeq: n, at: Date.now() }));
    return { ...own, ...common };
  };
  const all: BudgetAccount[] = [];
  for (let n = 0; n < PROCESSES * RUNS; n += 1) all.push(await account(n));
  return Array.from({ length: PROCESSES }, (_, process) => all.slice(process * RUNS, (process + 1) * RUNS));
}

function start(spendings: readonly Spending[]): ChildProcess {
  const args = [PROGRAM, ...spendings.map((spending) => JSON.stringify(spending))];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

/** US dollars that are spent, and that are held for calls in progress. */
function committed(store: Store): Promise<{ spent: number; held: number }> {
  return store.transaction(async ({ budgets, usage }) => {
    const held = await budgets.held();
    const { costUsd: spent } = await usage.total({});
    return { spent, held: held.reduce((sum, { costUsd }) => sum + costUsd, 0) };
  });
}

async function allEnded(children: readonly ChildProcess[]): Promise<void> {
  const ended = children.map(async (child) => {
    if (child.exitCode === null) await once(child, "exit");
    return child.exitCode;
  });
  expect(await Promise.all(ended)).toEqual(children.map(() => 0));
}

async function expectUsedUp(store: Store, scope = "day"): Promise<void> {
  const { spent, held } = await committed(store);
  expect(held, scope).toBe(0);
  expect(spent, scope).toBeLessThanOrEqual(LIMIT_USD + ROUNDING_USD);
  expect(spent, scope).toBeGreaterThan(LIMIT_USD - MIN_CALL_USD - ROUNDING_USD);
}

const SCOPES: { scope: string; settings: BudgetSettings; common: (sessionId: string) => Partial<BudgetAccount> }[] = [
  { scope: "day", settings: { dayUsd: LIMIT_USD }, common: () => ({}) },
  { scope: "person", settings: { userUsd: LIMIT_USD }, common: () => ({ personId: "slack:U1" }) },
  { scope: "channel", settings: { channelUsd: LIMIT_USD }, common: () => ({ channelId: "slack:C1" }) },
  { scope: "session", settings: { sessionUsd: LIMIT_USD }, common: (sessionId) => ({ sessionId }) },
];

test("runs of three processes together never exceed a limit of any kind, and use it up", async () => {
  const limited = SCOPES.map(async ({ scope, settings, common }) => {
    const { url, store } = await open();
    const all = await accounts(store, common(await createSession(store)));
    return { scope, store, spendings: all.map((each): Spending => ({ url, settings, accounts: each })) };
  });
  const scopes = await Promise.all(limited);
  const ofProcess = (number: number) => scopes.flatMap(({ spendings }) => spendings[number] ?? []);
  await allEnded(Array.from({ length: PROCESSES }, (_, number) => start(ofProcess(number))));
  for (const { scope, store } of scopes) await expectUsedUp(store, scope);
});

test("reservations of a killed process are kept until its runs continue elsewhere, and are then charged", async () => {
  const { url, store } = await open();
  const spending = (of: readonly BudgetAccount[]): Spending => ({ url, settings: { dayUsd: LIMIT_USD }, accounts: of });
  const [first = [], ...others] = await accounts(store, {});
  const killed = start([{ ...spending(first), callMs: 60_000_000 }]);
  await once(killed.stdout ?? expect.fail(), "data");
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const left = await committed(store);
  expect(left.held).toBeGreaterThan(0);
  // The other processes wait until the held sum is free; a new process continues the runs of the killed one.
  await allEnded([...others, first].map((of) => start([spending(of)])));
  await expectUsedUp(store);
});
