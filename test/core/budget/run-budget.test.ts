import { beforeEach, describe, expect, test } from "vitest";
import type { BudgetSettings } from "../../../src/core/budget/limits.ts";
import { chargeLost } from "../../../src/core/budget/lost-call.ts";
import { BudgetStop, RunBudget } from "../../../src/core/budget/run-budget.ts";
import type { Clock, Runtime } from "../../../src/core/protocol/runtime.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { useEmptiedDatabases, useEmptiedPostgres } from "../../support/database/emptied-databases.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { passTime } from "../../support/pass-time.ts";
import { seededRandom } from "../../support/runtime.ts";

const databases: readonly { name: string; open: () => () => Promise<Store> }[] = [
  { name: "SQLite", open: useEmptiedDatabases },
  {
    name: "PostgreSQL",
    open: () => {
      const take = useEmptiedPostgres();
      return async () => (await take()).store;
    },
  },
];

const NOON = Date.parse("2026-11-03T12:00:00Z");
const DAY_MS = 86_400_000;
/** An output token costs a cent and input is free, which keeps the figures readable. */
const PRICE = { input: 0, output: 10_000, cacheRead: 0, cacheWrite: 0 };
const CALL = { model: "m", inputTokens: 0, maxTokens: 1_000, price: PRICE };
const WAITS = "⏳ Other runs have reserved what is left for everything today (UTC); I'm waiting for them to finish.";
const never = new AbortController().signal;

describe.each(databases)("budgets on $name", ({ open }) => {
  const take = open();
  let store: Store;
  let clock: ManualClock;
  let runtime: Runtime;

  beforeEach(async () => {
    clock = new ManualClock(NOON);
    runtime = { ...systemRuntime(), clock };
    store = await take();
  });

  /** Opens the budget of run `number`, which has its own session, channel and person. */
  async function openRun(number: number, settings: BudgetSettings, time: Clock = clock): Promise<Run> {
    const sessionId = `ses_${number}`;
    const account = { runId: `run_${number}`, sessionId, personId: `slack:U${number}`, channelId: `slack:C${number}` };
    await begin(store, number, account);
    const options = { store, runtime: { ...runtime, clock: time }, epoch: 0 };
    return new Run(store, account, new RunBudget({ ...options, settings, account: { ...account, isJob: false } }));
  }

  test("twenty concurrent runs together never exceed the day's limit, and use it up", async () => {
    const dayUsd = 100;
    const random = seededRandom(7);
    const real = systemRuntime().clock;
    const soon: Clock = { ...real, now: () => NOON, sleep: (_ms, signal) => real.sleep(2, signal) };
    const runs = await Promise.all(Array.from({ length: 20 }, (_, number) => openRun(number, { dayUsd }, soon)));
    let most = 0;
    const ends = await Promise.all(
      runs.map(async (run) => {
        for (let turn = 1; ; turn += 1) {
          const { grant } = await run.reserve().catch(stopOf);
          if (grant === null) return run.spentUsd;
          most = Math.max(most, await committedUsd(store));
          if (random.next() < 0.2) await run.withdraw();
          else await run.spend(turn, Math.ceil(grant * random.next()));
        }
      }),
    );
    const spent = ends.reduce((sum, usd) => sum + usd, 0);
    expect(most).toBeLessThanOrEqual(dayUsd + 1e-9);
    expect(spent).toBeLessThanOrEqual(dayUsd + 1e-9);
    expect(spent).toBeGreaterThan(dayUsd - 2.56 - 1e-9);
  });

  test("a concurrent run gets the remaining budget, waits if that is too little, and announces it once", async () => {
    const [first, second, third] = await Promise.all([1, 2, 3].map((number) => openRun(number, { dayUsd: 15 })));
    if (first === undefined || second === undefined || third === undefined) throw new Error("three runs");
    expect((await first.reserve()).grant).toBe(1_000);
    const beside = await second.reserve();
    expect(beside.grant).toBe(500);

    const told = Promise.withResolvers<string>();
    const waiting = third.reserve({}, { heard: told.resolve });
    expect(await told.promise).toBe(WAITS);
    await first.spend(1, 100);
    await passTime(clock, waiting);
    expect(await waiting).toMatchObject({ statuses: [WAITS], grant: 900 });
  });

  test.each<{ name: string; over: (run: Run) => Promise<void> }>([
    { name: "is withdrawn", over: (run) => run.withdraw() },
    { name: "ends with its run", over: (run) => run.end() },
    { name: "is settled by the stored usage", over: (run) => run.spend(1, 0) },
    { name: "gives way to the next one of the same run", over: (run) => run.reserve({ maxTokens: 300 }).then(noop) },
  ])("a reservation $name", async ({ over }) => {
    const [first, second] = await Promise.all([1, 2].map((number) => openRun(number, { dayUsd: 10 })));
    if (first === undefined || second === undefined) throw new Error("two runs");
    await first.reserve();
    await over(first);
    expect((await second.reserve()).grant).toBeGreaterThanOrEqual(700);
  });

  test("a call interrupted by a kill is charged for its request once its run continues", async () => {
    const killed = await openRun(1, { runUsd: 10 });
    const call = { inputTokens: 2_000, price: { ...PRICE, input: 1_000 } };
    expect((await killed.reserve(call)).grant).toBe(800);
    const next = new RunBudget({ ...killed.options(store, runtime), settings: { runUsd: 10 } });
    for (const grant of [600, 400]) expect((await killed.reserve(call, { budget: next })).grant).toBe(grant);
    expect(await store.usage.ofRun("run_1")).toMatchObject({ turns: 0, costUsd: 4, usage: { inputTokens: 4_000 } });
    expect(await store.transaction((tx) => tx.budgets.held())).toMatchObject([{ runId: "run_1", costUsd: 6 }]);
  });

  test("the reservation of a lost call expires after a day, and the request is charged", async () => {
    const lost = await openRun(1, { dayUsd: 10 });
    await lost.reserve({ inputTokens: 2_000, maxTokens: 300, price: { ...PRICE, input: 1_000 } });
    const other = await openRun(2, { dayUsd: 10 });
    await clock.advance(DAY_MS + 1);
    expect((await other.reserve()).grant).toBe(800);
    expect(await store.usage.ofRun("run_1")).toMatchObject({ turns: 0, costUsd: 2 });
    expect(await store.transaction((tx) => tx.budgets.held())).toMatchObject([{ runId: "run_2" }]);
  });

  test.each([
    { what: "is charged its request", settled: async () => {}, costUsd: 2 },
    { what: "and whose response is stored is not charged again", settled: (run: Run) => run.spend(1, 100), costUsd: 1 },
    { what: "and was refused is charged nothing", settled: (run: Run) => run.withdraw(), costUsd: 0 },
  ])("a call in flight when its run ends $what", async ({ settled, costUsd }) => {
    const run = await openRun(1, { runUsd: 10 });
    await run.reserve({ inputTokens: 2_000, price: { ...PRICE, input: 1_000 } });
    await settled(run);
    for (let times = 0; times < 2; times += 1) await run.end();
    expect(await store.usage.ofRun("run_1")).toMatchObject({ costUsd });
    expect(await store.transaction((tx) => tx.budgets.held())).toEqual([]);
  });

  test("a run owned by another process cannot reserve", async () => {
    const stale = await openRun(1, { runUsd: 10 });
    await store.transaction((tx) => tx.sessions.raiseEpoch("ses_1"));
    await expect(stale.reserve()).rejects.toMatchObject({ code: "stale_owner" });
    expect(await store.transaction((tx) => tx.budgets.held())).toEqual([]);
  });

  test.each<{ settings: BudgetSettings; at: number; stops: boolean }>([
    { settings: { dayUsd: 10 }, at: NOON, stops: true },
    { settings: { dayUsd: 10 }, at: NOON - DAY_MS / 2, stops: true },
    { settings: { dayUsd: 10 }, at: NOON - DAY_MS / 2 - 1, stops: false },
    { settings: { userUsd: 10 }, at: NOON, stops: true },
    { settings: { channelUsd: 10 }, at: NOON, stops: true },
    { settings: { channelUsd: 10 }, at: NOON - DAY_MS, stops: false },
    { settings: { sessionUsd: 10 }, at: NOON - DAY_MS, stops: true },
    { settings: { sessionTokens: 1_000 }, at: NOON - DAY_MS, stops: true },
    { settings: { runUsd: 10 }, at: NOON, stops: false },
    { settings: { jobUsd: 10 }, at: NOON, stops: false },
  ])("with $settings used up by another run at $at, a run stops: $stops", async ({ settings, at, stops }) => {
    const run = await openRun(1, settings);
    await run.spend(1, 1_000, { at, runId: "run_before" });
    const { outcome } = await run.reserve().catch(stopOf);
    expect(outcome !== null).toBe(stops);
  });

  const ELSEWHERE = { runId: "run_9", sessionId: "ses_9", personId: "slack:U9", channelId: "slack:C9" };

  test.each<{ settings: BudgetSettings; of: keyof Account }>([
    { settings: { sessionUsd: 10 }, of: "sessionId" },
    { settings: { sessionTokens: 1_000 }, of: "sessionId" },
    { settings: { userUsd: 10 }, of: "personId" },
    { settings: { userTokens: 1_000 }, of: "personId" },
    { settings: { channelUsd: 10 }, of: "channelId" },
    { settings: { channelTokens: 1_000 }, of: "channelId" },
  ])("$settings counts only spending with the same $of", async ({ settings, of }) => {
    const run = await openRun(1, settings);
    const { account } = run.options(store, runtime);
    const { [of]: _own, ...others } = ELSEWHERE;
    await run.spend(1, 1_000, { ...ELSEWHERE, ...(of === "sessionId" ? {} : { sessionId: account.sessionId }) });
    expect((await run.reserve()).grant).toBe(1_000);
    await run.withdraw();
    await run.spend(2, 1_000, others);
    expect((await run.reserve().catch(stopOf)).outcome).not.toBeNull();
  });

  test("a run that waits for budget can be stopped", async () => {
    const [first, second] = await Promise.all([1, 2].map((number) => openRun(number, { dayUsd: 10 })));
    await first?.reserve();
    const stopping = new AbortController();
    const waiting = second?.reserve({}, { signal: stopping.signal });
    await clock.advance(100);
    stopping.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
  });
});

interface Reserved {
  readonly statuses: readonly string[];
  /** In tokens. */
  readonly grant: number | null;
  readonly outcome: BudgetStop["outcome"] | null;
}

interface Reserving {
  readonly budget?: RunBudget;
  readonly signal?: AbortSignal;
  readonly heard?: (status: string) => void;
}

/** US dollars spent and held for calls in progress. A call that ends between the two reads is in neither. */
function committedUsd(store: Store): Promise<number> {
  return store.transaction(async (tx) => {
    const { costUsd } = await tx.usage.total({});
    return (await tx.budgets.held()).reduce((sum, held) => sum + held.costUsd, costUsd);
  });
}

function stopOf(error: unknown): Reserved {
  if (!(error instanceof BudgetStop)) throw error;
  return { statuses: [], grant: null, outcome: error.outcome };
}

function noop(): void {}

interface Account {
  readonly runId: string;
  readonly sessionId: string;
  readonly personId: string;
  readonly channelId: string;
}

/** When a call is charged, and the parts of the account that differ from the run's own. */
type Spent = { readonly at?: number } & Partial<Account>;

class Run {
  readonly #store: Store;
  readonly #account: Account;
  readonly #budget: RunBudget;
  spentUsd = 0;

  constructor(store: Store, account: Account, budget: RunBudget) {
    this.#store = store;
    this.#account = account;
    this.#budget = budget;
  }

  options(store: Store, runtime: Runtime) {
    return { store, runtime, epoch: 0, account: { ...this.#account, isJob: false } };
  }

  async reserve(call: Partial<typeof CALL> = {}, { budget, signal, heard }: Reserving = {}): Promise<Reserved> {
    const statuses: string[] = [];
    const reserving = (budget ?? this.#budget).reserve({ ...CALL, ...call }, signal ?? never);
    let next = await reserving.next();
    for (; !next.done; next = await reserving.next()) {
      statuses.push(next.value.text);
      heard?.(next.value.text);
    }
    return { statuses, grant: next.value, outcome: null };
  }

  /** Records the usage of a call that has ended. */
  async spend(turn: number, outputTokens: number, { at = NOON, ...account }: Spent = {}): Promise<void> {
    const costUsd = outputTokens / 100;
    this.spentUsd += costUsd;
    const usage = { inputTokens: 0, outputTokens, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const entry = {
      ...this.#account,
      ...account,
      turn,
      model: "a/m",
      stopReason: "end_turn" as const,
      usage,
      costUsd,
      at,
    };
    await this.#store.transaction((tx) => tx.usage.add(entry));
  }

  /** Withdraws the reservation of a call that the provider refused. */
  withdraw(): Promise<void> {
    return this.#store.transaction((tx) => tx.budgets.withdraw(this.#account.runId));
  }

  /** Charges the unsettled call of a run, as happens when such a run ends. */
  end(): Promise<void> {
    return this.#store.transaction((tx) => chargeLost(tx, this.#account.runId, NOON));
  }
}

async function begin(store: Store, number: number, { runId, sessionId, personId }: Account): Promise<void> {
  await store.transaction(async (tx) => {
    await tx.sessions.create({
      id: sessionId,
      key: `slack:T1:C${number}:1.1`,
      thread: { platform: "slack", workspaceId: "T1", channelId: `C${number}`, threadId: "1.1" },
      workspaceName: "Acme",
      channel: { name: "ops", kind: "channel" },
      agent: "build",
      createdBy: personId,
      at: NOON,
    });
    await tx.runs.begin({ id: runId, sessionId, eventSeq: number, at: NOON });
  });
}
