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

/**
 * Channels that somebody may read of here: those that the settings or the page name, for admins, whose settings they are;
 * those that sessions were in for whoever sees them on the platform.
 */
export async function channelsFor(
  viewer: Viewer,
  named: readonly string[],
  { store, definitions, canSeeChannel }: Pick<FeatureHost, "store" | "definitions" | "canSeeChannel">,
): Promise<ShownChannel[]> {
  const known = new Map((await store.tables(channelReads).all()).map((channel) => [channel.id, channel]));
  const set = new Set([...definitions.configured(), ...named]);
  const keys = [...new Set([...set, ...known.keys()])].sort();
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
