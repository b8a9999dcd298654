import { z } from "zod";
import type { FeatureHost, FeatureRequest, OpenFeature } from "../../../feature.ts";
import { type Memories, placeOf, workspaceOf } from "../memories.ts";
import type { Kind, Memory } from "../memory.ts";
import { mayChange } from "../rights.ts";

type Route = NonNullable<OpenFeature["routes"]>[number];
type Host = Pick<FeatureHost, "seenChannel" | "hideIn" | "admins">;

/** A memory as the page lists it. */
interface ShownMemory {
  readonly seq: number;
  readonly text: string;
  readonly kind: Kind;
  readonly scope: "channel" | "person" | "workspace";
  /** Who told it, as they were called. */
  readonly author: string;
  /** When it was said, as it was written down. */
  readonly said: string;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  readonly uses: number;
  readonly isPinned: boolean;
  /** Nobody here has said it: it came with a page, a file or the like. */
  readonly isFromOutside: boolean;
  /** When something else took its place: milliseconds since the epoch; null: it holds. */
  readonly endedAt: number | null;
  /** Where its thread is to be read; null where that has no address. */
  readonly link: string | null;
  readonly mayChange: boolean;
}

/** Memories of one page. */
const PAGE = 50;
const querySchema = z.object({
  channel: z.string().max(200),
  query: z.string().max(1_000).default(""),
  before: z.coerce.number().int().positive().optional(),
});
/** The same whether or not there is one. */
const NOT_THERE = { status: 403, body: { error: "There is no such channel that you may see." } };
/** Who looks as nobody has no memories of their own. */
const NOBODY = "";

/** What is remembered in a channel, for whoever sees it on the page; it is changed by the channel's own command. */
export function memoryRoutes(memories: Memories, host: Host): readonly Route[] {
  return [{ method: "GET", path: "/list", handle: (request) => listed(request, memories, host) }];
}

async function listed({ viewer, query: given }: FeatureRequest, memories: Memories, host: Host) {
  const asked = querySchema.safeParse(Object.fromEntries(given));
  if (!asked.success) return { status: 400, body: { error: "The search was not understood." } };
  const { channel: channelKey, query, before } = asked.data;
  const seen = await host.seenChannel(viewer, channelKey);
  if (seen === null) return NOT_THERE;
  const { thread, person } = seen;
  const personId = person?.id ?? NOBODY;
  const mayAct = person !== null && (viewer.kind === "operator" || viewer.account.role !== "viewer");
  const shown = (memory: Memory) => shownMemory(memory, { memories, host, person: mayAct ? person : null });
  const isPaused = await memories.isPaused(channelKey);
  if (query.trim() !== "") {
    const reader = { channelKey, workspace: workspaceOf(thread), personId };
    const hits = await memories.search({ query, reader, limit: PAGE, origins: ["people", "outside"] });
    const rows = hits.map(({ memory }) => shown(memory));
    return { status: 200, body: host.hideIn({ rows, next: null, count: rows.length, isPaused, mayAct }) };
  }
  const place = placeOf(thread, channelKey, personId);
  const [found, count] = await Promise.all([memories.list(place, PAGE + 1, before), memories.countIn(place)]);
  const rows = found.slice(0, PAGE);
  const next = found.length > PAGE ? `${rows.at(-1)?.seq}` : null;
  return { status: 200, body: host.hideIn({ rows: rows.map(shown), next, count, isPaused, mayAct }) };
}

interface Shown {
  readonly memories: Pick<Memories, "linkOf">;
  readonly host: Pick<Host, "admins">;
  /** Who may change something; null: nobody. */
  readonly person: NonNullable<Awaited<ReturnType<Host["seenChannel"]>>>["person"];
}

function shownMemory(memory: Memory, { memories, host, person }: Shown): ShownMemory {
  const { seq, text, kind, scope, author, said, usedAt, uses, isPinned, origin, endedAt } = memory;
  return {
    seq,
    text,
    kind,
    scope: scope.startsWith("person:") ? "person" : scope.startsWith("workspace:") ? "workspace" : "channel",
    author: author.name,
    said,
    usedAt,
    uses,
    isPinned,
    isFromOutside: origin === "outside",
    endedAt,
    link: memories.linkOf(memory),
    mayChange: person !== null && mayChange(memory, person, host.admins),
  };
}
