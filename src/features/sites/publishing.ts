import type { Clock, Ids } from "../../core/protocol/runtime.ts";
import { Refusal } from "../../tools/wasm/workspace/refusal.ts";
import { collect, type Found, type Source } from "./collect.ts";
import type { Copies } from "./copies.ts";
import { isSiteName, NAME_RULE, type Publisher, type SiteLimits, type SiteVersion } from "./site.ts";
import type { siteReads, siteWrites } from "./store.ts";

export interface PublishRequest {
  readonly name: string;
  readonly source: Source;
  readonly channelKey: string;
}

export interface Publication extends PublishRequest {
  readonly by: Publisher;
  /** Idempotency key: a publication with the same key happens once. */
  readonly key: string;
  /** Digest that the files must still have; absent to accept any. */
  readonly digest?: string;
  readonly progress?: (text: string) => void;
}

/** Changes the sites' rows in one transaction. */
export type Write = <T>(work: (sites: ReturnType<typeof siteWrites>) => Promise<T>) => Promise<T>;

export interface PublishWorld {
  readonly limits: SiteLimits;
  /** Number of newest versions to keep; the served one is kept in any case. */
  readonly keptVersions: number;
  readonly copies: Copies;
  readonly reads: ReturnType<typeof siteReads>;
  readonly write: Write;
  readonly clock: Pick<Clock, "now">;
  readonly ids: Ids;
}

interface Publishing extends PublishWorld {
  /** Throws if another process may be publishing. */
  readonly requireHeld: () => Promise<void>;
}

/** Finds what would be published. Throws Refusal if it cannot be. */
export async function previewPublication(
  request: PublishRequest,
  { reads, limits }: PublishWorld,
  signal: AbortSignal,
): Promise<Found> {
  await requireFree(request, reads);
  return collect({ source: request.source, limits, signal });
}

/** Publishes a new version. Visitors see the previous one until the new one is complete. Throws Refusal. */
export async function publish(publishing: Publication, world: Publishing, signal: AbortSignal): Promise<SiteVersion> {
  const before = await world.reads.published(publishing.key);
  if (before !== null) return before;
  await requireFree(publishing, world.reads);
  const version = await copied(publishing, world, signal);
  await forgetOld(publishing.name, world);
  return version;
}

/** Throws Refusal if the name is invalid or belongs to another channel. */
async function requireFree(
  { name, channelKey }: Pick<PublishRequest, "name" | "channelKey">,
  { get }: Pick<PublishWorld["reads"], "get">,
): Promise<void> {
  if (!isSiteName(name)) throw new Refusal(NAME_RULE);
  const site = await get(name);
  if (site !== null && site.channelKey !== channelKey) {
    throw new Refusal(`Another channel already has a site named ${name}. Choose another name.`);
  }
}

async function copied(publishing: Publication, world: Publishing, signal: AbortSignal): Promise<SiteVersion> {
  const { name, channelKey, by, key } = publishing;
  const folder = world.ids.next("site");
  const { files, bytes } = await copy(publishing, { ...world, folder }, signal);
  await world.requireHeld();
  // The write may have succeeded even if it throws, so the copy stays; the next start removes it if it is not needed.
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
      throw new Refusal("The files have changed since they were shown; nothing was published. Try again.");
    }
    await copying.finish();
    return found;
  } catch (error) {
    await copying.discard();
    throw error;
  }
}

/** Deletes versions beyond the newest ones, except the one being served. */
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
