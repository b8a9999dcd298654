import { changedFilesOf } from "../../core/history/run-changes.ts";
import { mayChangeSession } from "../../core/permissions/access.ts";
import { sessionKeyOf } from "../../core/platform/thread.ts";
import { costOfAll, type UsageSum } from "../../core/store/ledger/usage-report.ts";
import type { ChildRow } from "../../core/store/run/children.ts";
import type { TeamSessions } from "../../feature.ts";
import { cardsOf } from "./cards.ts";
import { stateOf, toListedSessions } from "./list.ts";
import type { ConsoleScope } from "./scope.ts";
import { consoleReads, type NewestRun } from "./store.ts";
import { transcriptOf } from "./transcript.ts";
import type { Viewer } from "./visibility.ts";

type Session = NonNullable<Awaited<ReturnType<TeamSessions["session"]>>>;
type Task = Session["tasks"][number];

/** Commands that can also be typed in the thread. */
const COMMANDS = ["command:export", "command:fork"] as const;

/** Everything there is to see of a session; null if the viewer may not see it. */
export async function showSession(viewer: Viewer, id: string, showing: ConsoleScope): Promise<Session | null> {
  const { host, visibility } = showing;
  const { store } = host;
  const reads = store.tables(consoleReads);
  const row = await reads.get(id);
  if (row === null || row.isGone || !(await visibility.sees(viewer, row))) return null;
  const [titles, stored, actor, transcript, files, { ofSession }] = await Promise.all([
    reads.titles([id]),
    store.sessions.get(id),
    visibility.actor(viewer, row),
    transcriptOf(id, host),
    changedFilesOf(store, id),
    store.children.family(id, ""),
  ]);
  const { children, sessionIds: family } = ofSession;
  const by = mayPress(viewer) ? actor : null;
  const [[listed], spent, runs, asking, cards] = await Promise.all([
    toListedSessions([row], titles, showing),
    reads.spent(family),
    reads.newestRuns(family),
    reads.asking(family),
    cardsOf({ family: ofSession, by }, host),
  ]);
  if (listed === undefined) return null;
  const isCurrent = stored.key === sessionKeyOf(stored.thread);
  const sums = [...spent.values()];
  const sum = (key: "calls" | "tokens") => sums.reduce((all, each) => all + each[key], 0);
  const { mode, model } = host.configOf(stored);
  return {
    ...listed,
    ...transcript,
    mode,
    model,
    cards,
    link: host.describe(row.thread.platform).link(row.thread),
    commands: by !== null && isCurrent && mayChangeSession(by, stored, host) ? COMMANDS : [],
    stop: by === null && viewer.kind !== "operator" ? null : stopOf(family, runs),
    files,
    usage: { calls: sum("calls"), tokens: sum("tokens") },
    tasks: tasksOf(id, { children, spent, runs, asking }),
    parentId: row.parentId,
    actsAs: by?.name ?? null,
  };
}

export function mayPress(viewer: Viewer): boolean {
  return viewer.kind === "operator" || viewer.account.role !== "viewer";
}

/** Stop button for the session's open run, or else for one of a sub-agent in the background. */
function stopOf(family: readonly string[], runs: ReadonlyMap<string, NewestRun>): string | null {
  const open = family.flatMap((id) => runs.get(id) ?? []).find(({ outcome }) => outcome === null);
  return open === undefined ? null : `stop:${open.id}`;
}

interface Tree {
  readonly children: readonly ChildRow[];
  readonly spent: ReadonlyMap<string, UsageSum>;
  readonly runs: ReadonlyMap<string, NewestRun>;
  readonly asking: ReadonlySet<string>;
}

function tasksOf(parentId: string, tree: Tree): Task[] {
  return tree.children
    .filter((child) => child.parentId === parentId)
    .map(({ id, task: { agent, description } }) => ({
      id,
      agent,
      description,
      state: stateOf([id], tree),
      costUsd: costOfAll([tree.spent.get(id) ?? []].flat()),
      tasks: tasksOf(id, tree),
    }));
}
