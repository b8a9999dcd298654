import { channelOf } from "../../core/store/sessions.ts";
import type { FeatureHost, FeatureRequest } from "../../feature.ts";
import { channelReads, type KnownChannel } from "./store.ts";

type Viewer = FeatureRequest["viewer"];

/** A channel as these pages name it. */
export interface ShownChannel {
  /** `slack:C1` */
  readonly key: string;
  /** As its platform calls it; the key where nobody has written there yet. */
  readonly name: string;
}

/** Whether somebody may change what agents are told. */
export function mayEdit(viewer: Viewer): boolean {
  return viewer.kind === "operator" || viewer.account.role === "admin";
}

type World = Pick<FeatureHost, "store" | "definitions" | "canSeeChannel">;

/**
 * Channels that somebody may read of here: those that the settings or the page name, for admins, whose settings they are;
 * those that sessions were in for whoever sees them on the platform.
 */
export async function channelsFor(viewer: Viewer, named: readonly string[], world: World): Promise<ShownChannel[]> {
  const known = await knownIn(world);
  const set = new Set([...world.definitions.configured(), ...named]);
  return seenAmong([...set, ...known.keys()], { viewer, known, set, ...world });
}

/** Those that the settings name, as far as somebody may read of them. */
export async function configuredFor(viewer: Viewer, world: World): Promise<ShownChannel[]> {
  const set = new Set(world.definitions.configured());
  return seenAmong([...set], { viewer, known: await knownIn(world), set, ...world });
}

async function knownIn({ store }: World): Promise<ReadonlyMap<string, KnownChannel>> {
  return new Map((await store.tables(channelReads).all()).map((channel) => [channel.id, channel]));
}

interface Among extends World {
  readonly viewer: Viewer;
  readonly known: ReadonlyMap<string, KnownChannel>;
  /** What the settings or the page name. */
  readonly set: ReadonlySet<string>;
}

async function seenAmong(
  all: readonly string[],
  { viewer, known, set, canSeeChannel }: Among,
): Promise<ShownChannel[]> {
  const keys = [...new Set(all)].sort();
  const seen = await Promise.all(
    keys.map(async (key) => {
      if (viewer.kind === "operator" || (set.has(key) && mayEdit(viewer))) return true;
      const channel = known.get(key);
      return channel !== undefined && isSeen(channel, viewer, canSeeChannel);
    }),
  );
  return keys.filter((_key, index) => seen[index]).map((key) => ({ key, name: known.get(key)?.name ?? key }));
}

/** By somebody whom the account's owner has shown to be there. */
async function isSeen(
  { id, workspaceId }: KnownChannel,
  viewer: Exclude<Viewer, { kind: "operator" }>,
  canSeeChannel: FeatureHost["canSeeChannel"],
): Promise<boolean> {
  const channel = channelOf(id, workspaceId.slice(workspaceId.indexOf(":") + 1));
  const people = viewer.account.person.roles.filter((role) => role.startsWith(`${channel.platform}:`));
  for (const person of people) if (await canSeeChannel(channel, { id: person })) return true;
  return false;
}
