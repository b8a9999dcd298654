import { AppError } from "../protocol/errors.ts";
import type { BudgetExceeded, BudgetScope, Status } from "../protocol/events.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { HeldReservation } from "../store/ledger/budgets.ts";
import type { Amount, UsageFilter } from "../store/ledger/usage-report.ts";
import type { Store, StoreTransaction } from "../store/store.ts";
import { type BudgetState, inputCost, type PlannedCall, sumOf, type Verdict, verdictOn } from "./affordable.ts";
import { nearLimit, priceUnknown, waitsForOtherRuns } from "./budget-text.ts";
import { type BudgetAccount, type BudgetSettings, type BudgetUnit, dollarLimit, limitsOf } from "./limits.ts";
import { chargeLost } from "./lost-call.ts";

/** Interval of checks whether other runs' calls have ended. Milliseconds. */
const LOOK_MS = 500;
/** A run that waits longer ends. By then other calls have ended, or their process is gone. Milliseconds. */
const LONGEST_WAIT_MS = 600_000;
/** Age at which a reservation counts as lost, since no call takes this long. Milliseconds. */
const LOST_AFTER_MS = 86_400_000;
/** Share of a limit from which people are warned. */
const NEAR = 0.8;

export interface RunBudgetOptions {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly settings: BudgetSettings;
  readonly account: BudgetAccount;
  /** Keeps a stale owner from reserving. Null for a call outside runs, which needs no owner. */
  readonly epoch: number | null;
}

/** `model` is `provider/model`. */
type NamedCall = PlannedCall & { readonly model: string };

/** Ends the run, because a limit leaves too little for another call. */
export class BudgetStop extends Error {
  readonly outcome: BudgetExceeded;

  constructor(outcome: BudgetExceeded) {
    super(`the ${outcome.scope} limit leaves too little for another call`);
    this.name = "BudgetStop";
    this.outcome = outcome;
  }
}

/**
 * What one run may still spend. Each call reserves its maximum cost, in one transaction over all limits that apply, so
 * that concurrent runs cannot pass a limit together. The reservation lasts until the run's journal stores the call's
 * usage or its refusal. One left by a killed process is settled when its run continues or ends, or after a day: its
 * result is lost, but its request is charged.
 */
export class RunBudget {
  readonly #options: RunBudgetOptions;
  /** Notices that people have already seen in this run. */
  readonly #announced = new Set<string>();

  constructor(options: RunBudgetOptions) {
    this.#options = options;
  }

  /**
   * Yields what people should know, and returns the number of tokens that the call may write. Throws BudgetStop if a
   * limit leaves too little, `unpriced_model` if a limit cannot be kept without a price, or the signal's reason.
   */
  async *reserve(call: NamedCall, signal: AbortSignal): AsyncGenerator<Status, number> {
    const { runtime, settings, account } = this.#options;
    const { clock } = runtime;
    const scope = dollarLimit(settings, account);
    if (call.price === null && scope !== null) throw unpriced(call, scope);
    const givenUpAt = clock.now() + LONGEST_WAIT_MS;
    for (;;) {
      signal.throwIfAborted();
      const { verdict, states } = await this.#attempt(call);
      yield* this.#notices(states, verdict);
      if (verdict.type === "granted") return verdict.maxTokens;
      if (verdict.type === "exceeded") throw new BudgetStop(exceededBy(verdict.by, verdict.unit));
      if (clock.now() >= givenUpAt) throw new BudgetStop(exceededBy(verdict.by, unitOf(verdict.by)));
      await clock.sleep(LOOK_MS, signal);
    }
  }

  #attempt(call: NamedCall): Promise<{ verdict: Verdict; states: readonly BudgetState[] }> {
    const { store, runtime, settings, account, epoch } = this.#options;
    const { isJob: _isJob, root = account, taskTree = root.runId, ...owner } = account;
    return store.transaction(async (tx) => {
      const at = runtime.clock.now();
      if (epoch !== null) await tx.sessions.fence(account.sessionId, epoch, at);
      await tx.budgets.lock();
      const { ofRun, ofSession } = await tx.children.family(root.sessionId, root.runId);
      const taskTreeIds = await tx.children.runsOfTaskTree(root.sessionId, taskTree);
      const shared = { ...account, runIds: ofRun.runIds, taskTreeIds, sessionIds: ofSession.sessionIds };
      await chargeLost(tx, account.runId, at);
      const held = await currentlyHeld(tx, at);
      const states: BudgetState[] = [];
      for (const limit of limitsOf(settings, shared, at)) {
        const reserved = held.filter((each) => counts(limit.counts, each)).reduce(sumOf, NOTHING);
        states.push({ limit, spent: await tx.usage.total(limit.counts), held: reserved });
      }
      const verdict = verdictOn(call, states);
      if (verdict.type === "granted")
        await tx.budgets.reserve({ ...owner, ...call, ...verdict.amount, inputUsd: inputCost(call) }, at);
      return { verdict, states };
    });
  }

  *#notices(states: readonly BudgetState[], verdict: Verdict): Generator<Status> {
    if (verdict.type === "exceeded") return;
    for (const state of states) {
      const spent = { usd: state.spent.costUsd, tokens: state.spent.tokens };
      for (const unit of ["usd", "tokens"] as const) {
        const most = state.limit[unit];
        if (most === null || spent[unit] < most * NEAR) continue;
        yield* this.#once(`${unit}:${state.limit.scope}`, { type: "status", text: nearLimit(state, unit) });
      }
    }
    if (verdict.type !== "contended") return;
    const text = waitsForOtherRuns(verdict.by);
    yield* this.#once(`wait:${verdict.by.limit.scope}`, { type: "status", text, passes: true });
  }

  *#once(key: string, status: Status): Generator<Status> {
    if (this.#announced.has(key)) return;
    this.#announced.add(key);
    yield status;
  }
}

function unpriced({ model }: NamedCall, scope: BudgetScope): AppError {
  const reason = priceUnknown(model, scope);
  return new AppError("unpriced_model", reason, { detail: { model, reason } });
}

const NOTHING: Amount = { costUsd: 0, tokens: 0 };

/** What calls under way may hold. Also settles reservations that count as lost and that no run has settled. */
async function currentlyHeld(tx: StoreTransaction, at: number): Promise<readonly HeldReservation[]> {
  const held = await tx.budgets.held();
  const isLost = ({ since }: HeldReservation) => at - since > LOST_AFTER_MS;
  for (const { runId } of held.filter(isLost)) await chargeLost(tx, runId, at);
  return held.filter((each) => !isLost(each));
}

/** Whether a limit counts a call under way. Time is ignored, because such a call always counts for today. */
function counts({ runIds, sessionIds, personId, channelId }: UsageFilter, call: BudgetOwner): boolean {
  return (
    (runIds?.includes(call.runId) ?? true) &&
    (sessionIds?.includes(call.sessionId) ?? true) &&
    (personId === undefined || personId === call.personId) &&
    (channelId === undefined || channelId === call.channelId)
  );
}

type BudgetOwner = Omit<BudgetAccount, "isJob" | "root" | "taskTree">;

function unitOf({ limit }: BudgetState): BudgetUnit {
  return limit.usd === null ? "tokens" : "usd";
}

function exceededBy({ limit, spent }: BudgetState, unit: BudgetUnit): BudgetExceeded {
  const base = { type: "budget_exceeded" as const, scope: limit.scope };
  if (unit === "usd") return { ...base, costUsd: spent.costUsd, limitUsd: limit.usd ?? 0 };
  return { ...base, tokens: spent.tokens, limitTokens: limit.tokens ?? 0 };
}
