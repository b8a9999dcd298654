import { startOfDay } from "../../../core/budget/limits.ts";
import { openInteractions } from "../../../core/history/session-state.ts";
import { reasonOfCode } from "../../../core/protocol/explain.ts";
import type { ApprovalRow } from "../../../core/store/run/approvals.ts";
import type { QuestionRow } from "../../../core/store/run/questions.ts";
import { plainLine } from "../../../core/text/plain-text.ts";
import type { TeamOverview } from "../../../feature.ts";
import { channelName, logUnreadable, toListedSessions, visibleRows } from "../list.ts";
import type { ConsoleScope } from "../scope.ts";
import { mayPress } from "../session.ts";
import { consoleReads, type ThreadRow } from "../store.ts";
import type { Viewer } from "../visibility.ts";
import type { HealthWatch } from "./health-watch.ts";
import { overviewReads } from "./store.ts";

/** Maximum number of sessions with open work, and of failed runs. */
const MOST = { open: 200, failed: 100 };
/** Maximum length of a question and of a title, in characters. */
const WORDS_CHARS = 160;

export interface OverviewScope extends ConsoleScope {
  readonly health: HealthWatch;
}

/** The current state of everything that the viewer may see. */
export async function overviewFor(viewer: Viewer, world: OverviewScope): Promise<TeamOverview> {
  const [open, failed, spending] = await Promise.all([
    openWork(viewer, world),
    failedRuns(viewer, world),
    spendingOf(viewer, world),
  ]);
  return { ...open, failed, spending, platforms: platformStates(world) };
}

async function openWork(viewer: Viewer, world: OverviewScope): Promise<Pick<TeamOverview, "working" | "waiting">> {
  const { store } = world.host;
  const reads = store.tables(consoleReads);
  const without = new Set<string>();
  const any = { channel: "", person: "", agent: "", after: null };
  const { rows, unreadable } = await reads.page({ ...any, isOpen: true, without, limit: MOST.open });
  logUnreadable(unreadable, world);
  const seen = await visibleRows(rows, { viewer, without, looking: world });
  if (seen.length === 0) return { working: [], waiting: [] };
  const ids = seen.map(({ id }) => id);
  const [titles, families] = await Promise.all([reads.titles(ids), reads.families(ids)]);
  const all = [...families.values()].flat();
  const [listed, runs, [approvals, questions]] = await Promise.all([
    toListedSessions(seen, titles, world),
    store.tables(overviewReads).openRuns(all),
    openInteractions(store, all),
  ]);
  const rootOf = new Map([...families].flatMap(([root, family]) => family.map((id) => [id, root] as const)));
  const names = new Map(listed.map((each) => [each.id, each]));
  const placed = (sessionId: string) => {
    const { id, title, platform, channel } = names.get(rootOf.get(sessionId) ?? "") ?? NOWHERE;
    return { sessionId: id, title, platform, channel };
  };
  const mayStop = new Map(
    await Promise.all(seen.map(async (row) => [row.id, await maySay(viewer, row, world)] as const)),
  );
  const working = [...Map.groupBy(runs, ({ sessionId }) => rootOf.get(sessionId) ?? "")].map(([root, [first]]) => ({
    ...placed(root),
    agent: names.get(root)?.agent ?? "",
    state: names.get(root)?.state ?? ("working" as const),
    by: first?.by ?? "",
    since: first?.startedAt ?? 0,
    stop: first !== undefined && mayStop.get(root) === true ? `stop:${first.id}` : null,
  }));
  const waits = [
    ...approvals.map((row) => ({ row, kind: "approval" as const, about: aboutCalls(row) })),
    ...questions.map((row) => ({ row, kind: "question" as const, about: aboutQuestion(row) })),
  ];
  const waiting = waits.map(({ row: { sessionId, createdAt }, kind, about }) => {
    return { ...placed(sessionId), kind, about: plainLine(about, WORDS_CHARS), since: createdAt };
  });
  return { working, waiting: waiting.toSorted((a, b) => a.since - b.since) };
}

function aboutCalls({ calls }: ApprovalRow): string {
  return calls.map(({ tool, title }) => (title === "" ? tool : title)).join("; ");
}

function aboutQuestion({ body }: QuestionRow): string {
  return body.kind === "plan" ? "a plan" : body.question;
}

const NOWHERE = { id: "", title: "", platform: "", channel: "" };

/** Whether the viewer may act in a session, as on its own page. */
async function maySay(viewer: Viewer, row: ThreadRow, { visibility }: OverviewScope): Promise<boolean> {
  if (!mayPress(viewer)) return false;
  return viewer.kind === "operator" || (await visibility.actor(viewer, row)) !== null;
}

async function failedRuns(viewer: Viewer, world: OverviewScope): Promise<TeamOverview["failed"]> {
  const { store, runtime } = world.host;
  const failures = await store.tables(overviewReads).failed(startOfDay(runtime.clock.now()), MOST.failed);
  if (failures.length === 0) return [];
  const reads = store.tables(consoleReads);
  const rows = await reads.among([...new Set(failures.map(({ sessionId }) => sessionId))]);
  const seen = await visibleRows(rows, { viewer, without: new Set(), looking: world });
  const byId = new Map(seen.map((row) => [row.id, row]));
  const titles = await reads.titles([...byId.keys()]);
  return failures.flatMap(({ sessionId, at, outcome, code }) => {
    const row = byId.get(sessionId);
    if (row === undefined) return [];
    const title = plainLine(titles.get(row.id) ?? "", WORDS_CHARS);
    const platform = world.host.describe(row.thread.platform).title;
    const words = reasonOfCode(code ?? "") ?? OUTCOMES[outcome] ?? "It failed; its session says why.";
    return [{ sessionId, at, words, title, platform, channel: channelName(row.channel) }];
  });
}

const OUTCOMES: Readonly<Record<string, string>> = {
  budget_exceeded: "It reached a spending limit.",
  max_turns: "It used up its turns without finishing.",
  max_tokens: "Its answer was longer than the model may write.",
};

async function spendingOf(viewer: Viewer, { host }: OverviewScope): Promise<TeamOverview["spending"]> {
  const { budgets, store, runtime } = host;
  const now = runtime.clock.now();
  const spent = async (personIds: readonly (string | undefined)[]) => {
    const since = { day: startOfDay(now), month: monthOf(now) };
    const sums = await Promise.all(
      personIds.map(async (personId) => {
        const who = personId === undefined ? {} : { personId };
        const [day, month] = [
          await store.usage.total({ ...who, since: since.day }),
          await store.usage.total({ ...who, since: since.month }),
        ];
        return { dayUsd: day.costUsd, monthUsd: month.costUsd, unpriced: month.unpriced };
      }),
    );
    const sum = (key: "dayUsd" | "monthUsd" | "unpriced") => sums.reduce((all, each) => all + each[key], 0);
    return { dayUsd: sum("dayUsd"), monthUsd: sum("monthUsd"), unpriced: sum("unpriced") };
  };
  const [own, all] = await Promise.all([
    viewer.kind === "operator" ? null : spent([viewer.account.person.id, ...viewer.account.person.roles]),
    isAdmin(viewer) ? spent([undefined]) : null,
  ]);
  return {
    own: own === null ? null : { ...own, dayLimitUsd: budgets.userUsd ?? null },
    all: all === null ? null : { ...all, dayLimitUsd: budgets.dayUsd ?? null },
  };
}

/** Whether the viewer is an admin. All admins see totals, which name nobody's channel. */
export function isAdmin(viewer: Viewer): boolean {
  return viewer.kind === "operator" || viewer.account.role === "admin";
}

function platformStates({ host, health }: OverviewScope): TeamOverview["platforms"] {
  return [...health.states()].map(([name, state]) => ({ ...state, name, title: host.describe(name).title }));
}

function monthOf(at: number): number {
  const date = new Date(at);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth());
}
