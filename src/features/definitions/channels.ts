import type { FeatureRequest, NamedChannel } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { channelReads } from "./store.ts";

/** Whether somebody may change what agents are told. */
export function mayEdit({ role }: Pick<FeatureRequest, "role">): boolean {
  return role === "admin";
}

type Asker = Pick<FeatureRequest, "viewer" | "role">;
type World = Pick<FeatureHost, "store" | "definitions" | "seenChannels">;

/**
 * Channels that somebody may read of here: those that the settings or the page name, for admins, whose settings they are;
 * those that sessions were in for whoever sees them on the page.
 */
export async function channelsFor(asker: Asker, named: readonly string[], world: World): Promise<NamedChannel[]> {
  const set = new Set([...world.definitions.configured(), ...named]);
  return shownAmong(asker, set, { names: await namesIn(world), hasAll: true, ...world });
}

/** Those that the settings name, as far as somebody may read of them. */
export async function configuredFor(asker: Asker, world: World): Promise<NamedChannel[]> {
  const set = new Set(world.definitions.configured());
  return shownAmong(asker, set, { names: await namesIn(world), hasAll: false, ...world });
}

async function namesIn({ store }: World): Promise<ReadonlyMap<string, string>> {
  return new Map((await store.tables(channelReads).all()).map(({ id, name }) => [id, name]));
}

interface Among extends Pick<World, "seenChannels"> {
  /** Channels that sessions were in, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** They are among what is shown. */
  readonly hasAll: boolean;
}

async function shownAmong(
  { viewer, role }: Asker,
  set: ReadonlySet<string>,
  { names, hasAll, seenChannels }: Among,
): Promise<NamedChannel[]> {
  const all = new Set([...set, ...(hasAll ? names.keys() : [])]);
  const own = role === "admin" ? set : new Set<string>();
  const seen = await seenChannels(
    viewer,
    [...all].filter((key) => !own.has(key)),
  );
  const shown = [...all].filter((key) => own.has(key) || seen.has(key));
  return shown.sort().map((key) => ({ key, name: names.get(key) ?? key }));
}
