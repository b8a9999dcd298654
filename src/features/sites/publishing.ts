import type { Clock, Ids } from "../../core/protocol/runtime.ts";
import { Refusal } from "../../tools/wasm/workspace/refusal.ts";
import { collect, type Found, type Source } from "./collect.ts";
import type { Copies } from "./copies.ts";
import { isSiteName, NAME_RULE, type Publisher, type SiteLimits, type SiteVersion } from "./site.ts";
import type { siteReads, siteWrites } from "./store.ts";

/** Where a publishing begins, and under what name it ends. */
export interface PublishRequest {
  readonly name: string;
  readonly source: Source;
  readonly channelKey: string;
}

export interface Publication extends PublishRequest {
  readonly by: Publisher;
  /** The same one happens once. */
  readonly key: string;
  /** What the files must still be; absent: whatever they are. */
  readonly digest?: string;
  readonly progress?: (text: string) => void;
}

/** Changes what is known of sites, all of it or nothing. */
export type Write = <T>(work: (sites: ReturnType<typeof siteWrites>) => Promise<T>) => Promise<T>;

export interface PublishWorld {
  readonly limits: SiteLimits;
  /** Versions of a site that are kept to go back to, the served one among them. */
  readonly keptVersions: number;
  readonly copies: Copies;
  readonly reads: ReturnType<typeof siteReads>;
  readonly write: Write;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Ids;
}

interface Publishing extends PublishWorld {
  /** Throws where another process may publish meanwhile. */
  readonly requireHeld: () => Promise<void>;
}

/** What would be published. Throws Refusal for what cannot be. */
export async function look(
  request: PublishRequest,
  { reads, limits }: PublishWorld,
  signal: AbortSignal,
): Promise<Found> {
  await requireFree(request, reads);
  return collect({ source: request.source, limits, signal });
}

/** Visitors see the version before until the new one is whole, and then that one. Throws Refusal. */
export async function publish(publishing: Publication, world: Publishing, signal: AbortSignal): Promise<SiteVersion> {
  const before = await world.reads.published(publishing.key);
  if (before !== null) return before;
  await requireFree(publishing, world.reads);
  const version = await copied(publishing, world, signal);
  await forgetOld(publishing.name, world);
  return version;
}

/** Throws Refusal where the name is none, or somebody else's. */
async function requireFree(
  { name, channelKey }: Pick<PublishRequest, "name" | "channelKey">,
  { get }: Pick<PublishWorld["reads"], "get">,
): Promise<void> {
  if (!isSiteName(name)) throw new Refusal(NAME_RULE);
  const site = await get(name);
  if (site !== null && site.channelKey !== channelKey) {
    throw new Refusal(`There is a site ${name} already, of another channel. Choose another name.`);
  }
}

async function copied(publishing: Publication, world: Publishing, signal: AbortSignal): Promise<SiteVersion> {
  const { name, channelKey, by, key } = publishing;
  const folder = world.ids.next("site");
  const { files, bytes } = await copy(publishing, { ...world, folder }, signal);
  await world.requireHeld();
  // Where this fails, it may have been done all the same: the copy stays, and the next start knows whether it is needed.
  const version = { name, channelKey, by, key, directory: folder, files: files.length, bytes };
  return world.write((sites) => sites.add(version, world.clock.now()));
}

async function copy(
  { source, digest, progress = () => {} }: Publication,
  { copies, limits, folder }: Pick<PublishWorld, "copies" | "limits"> & { readonly folder: string },
  signal: AbortSignal,
): Promise<Found> {
  const copying = await copies.begin(folder);
  let count = 0;
  try {
    const found = await collect({
      source,
      limits,
      signal,
      take: async (file, content) => {
        await copying.take(file, content);
        count += 1;
        progress(`${count} copied`);
      },
    });
    if (digest !== undefined && found.digest !== digest) {
      throw new Refusal("The files have changed since they were shown; nothing was published. Ask again.");
    }
    await copying.finish();
    return found;
  } catch (error) {
    await copying.discard();
    throw error;
  }
}

/** Those before the newest few, without the one that is served. */
async function forgetOld(name: string, { write, copies, keptVersions }: PublishWorld): Promise<void> {
  const gone = await write(async (sites) => {
    const site = await sites.get(name);
    const old = (await sites.versions([name])).slice(keptVersions);
    const unserved = old.filter(({ number }) => number !== site?.version);
    const numbers = unserved.map(({ number }) => number);
    await sites.forgetVersions(name, numbers);
    return unserved.map(({ directory }) => directory);
  });
  await copies.remove(gone);
}
