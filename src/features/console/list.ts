import { costOfAll } from "../../core/store/ledger/usage-report.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import type { TeamSessions } from "../../feature.ts";
import type { ConsoleScope } from "./scope.ts";
import { type ChannelRow, consoleReads, type NewestRun, type ThreadRow } from "./store.ts";
import type { Viewer, Visibility } from "./visibility.ts";

type Query = Parameters<TeamSessions["list"]>[1];
type List = Awaited<ReturnType<TeamSessions["list"]>>;
type Listed = List["sessions"][number];
export type State = Listed["state"];
type Choices = Awaited<ReturnType<TeamSessions["choices"]>>;

const PAGE = 50;
/** Sessions read per step, and at most for one page. A search that finds little continues on the next page. */
const READ_LIMITS = { together: 100, most: 1_000 };
/** Maximum number of channels offered as choices, those with the newest activity. */
const CHOSEN_CHANNELS = 40;
/** Maximum length of a title, in characters. */
const TITLE_CHARS = 160;

/** Lists sessions, newest first, skipping those that the viewer may not see or did not ask for. */
export async function listSessions(viewer: Viewer, query: Query, looking: ConsoleScope): Promise<List> {
  const reads = looking.host.store.tables(consoleReads);
  const without = new Set<string>();
  const listed: Listed[] = [];
  let after = cursorOf(query.after);
  for (let looked = 0; looked < READ_LIMITS.most; looked += READ_LIMITS.together) {
    const { channel, person, agent, state } = query;
    const isOpen = state === "working" || state === "waiting";
    const limit = READ_LIMITS.together;
    const { rows, unreadable, next } = await reads.page({ channel, person, agent, isOpen, without, after, limit });
    logUnreadable(unreadable, looking);
    const wanted = await matchingSessions(rows, { viewer, query, without, looking });
    for (const session of wanted) {
      if (listed.length === PAGE) return { sessions: listed, next: cursorText(listed.at(-1)) };
      listed.push(session);
    }
    if (next === null) return { sessions: listed, next: null };
    after = next;
    if (listed.length === PAGE) break;
  }
  return { sessions: listed, next: after === null ? null : cursorText({ updatedAt: after.at, id: after.id }) };
}

/** Logs each session that cannot be read once. */
export function logUnreadable(ids: readonly string[], { host, unreadable }: ConsoleScope): void {
  for (const sessionId of ids) {
    if (!unreadable.has(sessionId)) host.log.error({ sessionId }, "session_unreadable");
    unreadable.add(sessionId);
  }
}

interface ListScope {
  readonly viewer: Viewer;
  readonly query: Query;
  /** Channels that the viewer does not see; newly found ones are added. */
  readonly without: Set<string>;
  readonly looking: ConsoleScope;
}

async function matchingSessions(rows: readonly ThreadRow[], wanted: ListScope): Promise<Listed[]> {
  const { query, looking } = wanted;
  const seen = await visibleRows(rows, wanted);
  const reads = looking.host.store.tables(consoleReads);
  const titles = await reads.titles(seen.map(({ id }) => id));
  const titled = query.text === "" ? seen : await matching(seen, titles, { query, looking });
  const listed = await toListedSessions(titled, titles, looking);
  return listed.filter(
    ({ state, costUsd }) =>
      (query.state === "" || state === query.state) && (query.leastUsd === 0 || (costUsd ?? 0) >= query.leastUsd),
  );
}

/** Checks each channel once, and within visible channels each thread, since a thread may be private. */
export async function visibleRows<T extends ThreadRow>(
  rows: readonly T[],
  { viewer, without, looking }: Pick<ListScope, "viewer" | "without" | "looking">,
): Promise<T[]> {
  const { visibility } = looking;
  if (visibility.seesAll(viewer)) return [...rows];
  const channels = new Map(rows.map(({ channel }) => [channel.id, channel]));
  const open = new Set(await seenAmong(viewer, [...channels.values()], visibility));
  for (const channel of channels.values()) if (!open.has(channel)) without.add(channel.id);
  const inSight = rows.filter(({ channel }) => !without.has(channel.id));
  const seen = await Promise.all(inSight.map(async (row) => ((await visibility.sees(viewer, row)) ? [row] : [])));
  return seen.flat();
}

/** Existing channels among these ids that the viewer may see. */
export async function visibleChannels(
  viewer: Viewer,
  ids: readonly string[],
  { host, visibility }: ConsoleScope,
): Promise<ChannelRow[]> {
  return seenAmong(viewer, await host.store.tables(consoleReads).channelsAmong(ids), visibility);
}

/** Those of the channels that the viewer may see. */
export async function seenAmong(
  viewer: Viewer,
  channels: readonly ChannelRow[],
  visibility: Visibility,
): Promise<ChannelRow[]> {
  const seen = await Promise.all(
    channels.map(async (channel) => ((await visibility.seesChannel(viewer, channel)) ? [channel] : [])),
  );
  return seen.flat();
}

async function matching(
  rows: readonly ThreadRow[],
  titles: ReadonlyMap<string, string>,
  { query, looking }: Pick<ListScope, "query" | "looking">,
): Promise<ThreadRow[]> {
  const words = query.text.toLowerCase();
  const isTitled = ({ id }: ThreadRow) => titles.get(id)?.toLowerCase().includes(words) === true;
  const others = rows.filter((row) => !isTitled(row)).map(({ id }) => id);
  const reads = looking.host.store.tables(consoleReads);
  const saying = others.length === 0 ? new Set<string>() : await reads.saying(others, query.text);
  return rows.filter((row) => isTitled(row) || saying.has(row.id));
}

export async function toListedSessions(
  rows: readonly ThreadRow[],
  titles: ReadonlyMap<string, string>,
  { host }: Pick<ConsoleScope, "host">,
): Promise<Listed[]> {
  if (rows.length === 0) return [];
  const reads = host.store.tables(consoleReads);
  const families = await reads.families(rows.map(({ id }) => id));
  const all = [...families.values()].flat();
  const [runs, asking, spent] = await Promise.all([reads.newestRuns(all), reads.asking(all), reads.spent(all)]);
  return rows.map(({ id, channel, thread, agent, updatedAt }) => {
    const family = families.get(id) ?? [id];
    return {
      id,
      title: plainLine(titles.get(id) ?? "", TITLE_CHARS),
      platform: host.describe(thread.platform).title,
      workspace: channel.workspaceName,
      channel: channelName(channel),
      agent,
      state: stateOf(family, { runs, asking }),
      costUsd: costOfAll(family.flatMap((each) => spent.get(each) ?? [])),
      updatedAt,
    };
  });
}

/**
 * State of a session with its sub-agents, itself first: whether any of them waits or works, otherwise the outcome of
 * its own newest run.
 */
export function stateOf(
  family: readonly string[],
  { runs, asking }: { readonly runs: ReadonlyMap<string, NewestRun>; readonly asking: ReadonlySet<string> },
): State {
  if (family.some((id) => asking.has(id))) return "waiting";
  const own = runs.get(family[0] ?? "");
  if (family.some((id) => runs.get(id)?.outcome === null)) return "working";
  if (own === undefined) return "none";
  if (own.outcome === "end_turn") return "done";
  return own.outcome === "cancelled" ? "stopped" : "failed";
}

export function channelName({ name, kind }: ChannelRow): string {
  return kind === "channel" ? `#${name}` : kind === "dm" ? "direct message" : name;
}

/** Includes the platform, since two platforms' workspaces, or the page and the terminal, may share a name. */
export function placeName(channel: ChannelRow, { describe }: Pick<ConsoleScope["host"], "describe">): string {
  return `${channelName(channel)} · ${channel.workspaceName} · ${describe(platformOf(channel)).title}`;
}

/** The choices by which the viewer can filter lists. */
export async function choicesFor(viewer: Viewer, { host, visibility }: ConsoleScope): Promise<Choices> {
  const reads = host.store.tables(consoleReads);
  const newest = (await reads.channels()).slice(0, CHOSEN_CHANNELS);
  const channels = await seenAmong(viewer, newest, visibility);
  const { agents, people } = await reads.choices(channels.map(({ id }) => id));
  const names = await reads.namesOf(people);
  return {
    channels: channels.map((channel) => ({ id: channel.id, name: placeName(channel, host) })),
    people: people.map((id) => ({ id, name: names.get(id) ?? id })),
    agents,
    unlinked: unlinkedOf(viewer, newest, host),
  };
}

function unlinkedOf(
  viewer: Viewer,
  channels: readonly ChannelRow[],
  { describe }: Pick<ConsoleScope["host"], "describe">,
): string[] {
  if (viewer.kind === "operator") return [];
  const platforms = new Set(channels.map(platformOf));
  const { roles } = viewer.account.person;
  return [...platforms]
    .filter((name) => !describe(name).isOwn && !roles.some((id) => id.startsWith(`${name}:`)))
    .map((name) => describe(name).title);
}

function platformOf({ workspaceId }: ChannelRow): string {
  return workspaceId.slice(0, workspaceId.indexOf(":"));
}

function cursorOf(text: string): { at: number; id: string } | null {
  const [, at, id] = /^(\d{1,16})\.(.{1,200})$/u.exec(text) ?? [];
  return at === undefined || id === undefined ? null : { at: Number(at), id };
}

function cursorText(last: Pick<Listed, "updatedAt" | "id"> | undefined): string | null {
  return last === undefined ? null : `${last.updatedAt}.${last.id}`;
}
