import { z } from "zod";
import type { FeatureRequest, FeatureRoute, SeenChannel, TeamMemories, TeamMemory } from "../../../feature.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import { type Reader, readerIn } from "../audience.ts";
import type { Memories } from "../memories.ts";
import type { Memory } from "../memory.ts";
import { mayChange } from "../rights.ts";

type Host = Pick<FeatureHost, "seenChannels" | "hideIn" | "admins">;

const PAGE = 50;
const querySchema = z.object({
  channel: z.string().max(200),
  query: z.string().max(1_000).default(""),
  before: z.coerce.number().int().positive().optional(),
});
/** The same answer whether the channel does not exist or may not be seen. */
const NOT_THERE = { status: 403, body: { error: "This channel does not exist, or you may not see it." } };

/** Lists a channel's memories for people who may see the channel on the page; its own command changes them. */
export function memoryRoutes(memories: Memories, host: Host): readonly FeatureRoute[] {
  return [{ method: "GET", path: "/list", handle: (request) => listed(request, memories, host) }];
}

async function listed({ viewer, role, query: given }: FeatureRequest, memories: Memories, host: Host) {
  const asked = querySchema.safeParse(Object.fromEntries(given));
  if (!asked.success) return { status: 400, body: { error: "The search was not understood." } };
  const { channel: channelKey, query, before } = asked.data;
  const seen = (await host.seenChannels(viewer, [channelKey])).get(channelKey);
  if (seen === undefined) return NOT_THERE;
  const { thread, person } = seen;
  const here = readerIn(thread, channelKey, person?.id ?? null);
  const [{ rows, ...found }, isPaused] = await Promise.all([
    query.trim() === "" ? newest(memories, here, before) : best(memories, here, query),
    memories.isPaused(channelKey),
  ]);
  const mayAct = person !== null && role !== "viewer";
  const shown = rows.map((memory) =>
    shownMemory(memory, { memories, host, channelKey, person: mayAct ? person : null }),
  );
  const body: TeamMemories = { ...found, rows: shown, isPaused, mayAct };
  return { status: 200, body: host.hideIn(body) };
}

interface Found extends Pick<TeamMemories, "next" | "count"> {
  readonly rows: readonly Memory[];
}

async function newest(memories: Memories, here: Reader, before?: number): Promise<Found> {
  const [found, count] = await Promise.all([memories.list(here, PAGE + 1, before), memories.countIn(here)]);
  const rows = found.slice(0, PAGE);
  return { rows, next: found.length > PAGE ? `${rows.at(-1)?.seq}` : null, count };
}

async function best(memories: Memories, here: Reader, query: string): Promise<Found> {
  const hits = await memories.search({ query, reader: here, limit: PAGE });
  return { rows: hits.map(({ memory }) => memory), next: null, count: null };
}

interface Shown {
  readonly memories: Pick<Memories, "linkOf">;
  readonly host: Pick<Host, "admins">;
  readonly channelKey: string;
  /** The person who may change something; null if nobody may. */
  readonly person: SeenChannel["person"];
}

function shownMemory(memory: Memory, { memories, host, channelKey, person }: Shown): TeamMemory {
  const { seq, text, kind, author, said, usedAt, uses, isPinned, origin, endedAt } = memory;
  return {
    seq,
    text,
    kind,
    scope: scopeOf(memory, channelKey),
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

function scopeOf({ scope }: Pick<Memory, "scope">, channelKey: string): TeamMemory["scope"] {
  if (scope.startsWith("person:")) return "person";
  if (scope.startsWith("workspace:")) return "workspace";
  return scope === `channel:${channelKey}` ? "channel" : "elsewhere";
}
