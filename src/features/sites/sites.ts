import { KeyedMutex } from "../../core/keyed-mutex.ts";
import { hashPassword } from "../../core/text/password-hash.ts";
import type { FeatureHost } from "../../feature.ts";
import type { Found } from "./collect.ts";
import { newPassword } from "./password.ts";
import { look, type Publication, type PublishRequest, type PublishWorld, publish, type Write } from "./publishing.ts";
import type { Site, SiteVersion } from "./site.ts";
import { siteReads, siteWrites } from "./store.ts";

/** All sites, for the parts of the feature. */
export type Sites = ReturnType<typeof createSites>;

export function createSites(
  { store, runtime }: Pick<FeatureHost, "store" | "runtime">,
  options: Pick<PublishWorld, "limits" | "keptVersions" | "copies"> & {
    /** The address of all sites, without a slash at its end. */
    readonly address: () => string;
  },
) {
  const { copies, address } = options;
  const reads = store.tables(siteReads);
  const write: Write = (work) => store.transaction((tx) => work(tx.tables(siteWrites)));
  const world: PublishWorld = { ...options, ...runtime, reads, write };
  const mutex = new KeyedMutex();
  return {
    ...reads,
    ...passwords(write),
    urlOf: (name: string) => `${address()}/sites/${name}/`,
    pathOf: ({ directory }: Pick<SiteVersion, "directory">) => copies.pathOf(directory),
    look: (request: PublishRequest, signal: AbortSignal): Promise<Found> => look(request, world, signal),
    publish: (publishing: Publication, signal: AbortSignal): Promise<SiteVersion> =>
      mutex.run(publishing.name, () => publish(publishing, world, signal)),

    unpublish: ({ name }: Site): Promise<void> =>
      mutex.run(name, async () => {
        const directories = (await reads.versions([name])).map(({ directory }) => directory);
        await write((sites) => sites.remove(name));
        await copies.remove(directories);
      }),

    /** Serves another version; null where there is none of that number, or none before the one that is served. */
    rollback: ({ name }: Site, wanted: number | null): Promise<SiteVersion | null> =>
      mutex.run(name, async () => {
        const served = (await reads.get(name))?.version ?? 0;
        const versions = await reads.versions([name]);
        const found = versions.find(({ number }) => (wanted === null ? number < served : number === wanted));
        if (found === undefined) return null;
        await write((sites) => sites.serve(name, found.number));
        return found;
      }),

    /** Before anything is published: removes what a crash left. */
    sweep: async (): Promise<void> => copies.sweep(new Set(await reads.directories())),
  };
}

function passwords(write: Write) {
  return {
    /** A new password, which nobody can look up afterwards. */
    async protect({ name }: Site): Promise<string> {
      const password = newPassword();
      const hash = await hashPassword(password);
      await write((sites) => sites.protect(name, hash));
      return password;
    },

    unprotect: ({ name }: Site): Promise<void> => write((sites) => sites.protect(name, null)),
  };
}
