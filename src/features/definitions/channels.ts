import type { FeatureRequest, NamedChannel } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { channelReads } from "./store.ts";

/** Whether the viewer may change what agents are told. */
export function mayEdit({ role }: Pick<FeatureRequest, "role">): boolean {
  return role === "admin";
}

export type Asker = Pick<FeatureRequest, "viewer" | "role">;
type World = Pick<FeatureHost, "store" | "definitions" | "seenChannels">;

/**
 * The channels that a viewer may see here: for admins those named by the settings or the page, since they own the
 * settings; for everybody the channels with sessions that they see on the page.
 */
export async function channelsFor(asker: Asker, named: readonly string[], world: World): Promise<NamedChannel[]> {
  const set = new Set([...world.definitions.configured(), ...named]);
  return shownAmong(asker, set, { ...world, hasAll: true });
}

/** Channels named by the settings, as far as the viewer may see them. */
export async function configuredFor(asker: Asker, world: World): Promise<NamedChannel[]> {
  return shownAmong(asker, new Set(world.definitions.configured()), { ...world, hasAll: false });
}

/** `hasAll`: whether to include all channels with sessions. */
async function shownAmong(
  { viewer, role }: Asker,
  set: ReadonlySet<string>,
  { store, seenChannels, hasAll }: World & { readonly hasAll: boolean },
): Promise<NamedChannel[]> {
  const names = await store.tables(channelReads).names();
  const all = new Set([...set, ...(hasAll ? names.keys() : [])]);
  const own = role === "admin" ? set : new Set<string>();
  const seen = await seenChannels(
    viewer,
    [...all].filter((key) => !own.has(key)),
  );
  const shown = [...all].filter((key) => own.has(key) || seen.has(key));
  return shown.sort().map((key) => ({ key, name: names.get(key) ?? key }));
}
