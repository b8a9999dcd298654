import type { LockWait } from "../../core/cluster.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import { hashPassword } from "../../core/text/password-hash.ts";
import type { FeatureHost } from "../../feature-host.ts";
import type { Found } from "./collect.ts";
import { newPassword } from "./password.ts";
import {
  type Publication,
  type PublishRequest,
  type PublishWorld,
  previewPublication,
  publish,
  type Write,
} from "./publishing.ts";
import type { Site, SiteVersion } from "./site.ts";
import { siteReads, siteWrites } from "./store.ts";

/** All sites, as the parts of the feature use them. */
export type Sites = ReturnType<typeof createSites>;

export function createSites(
  { store, runtime, cluster }: Pick<FeatureHost, "store" | "runtime" | "cluster">,
  options: Pick<PublishWorld, "limits" | "keptVersions" | "copies"> & {
    /** The base address of all sites, without a trailing slash. */
    readonly address: () => string;
    readonly signal: AbortSignal;
  },
) {
  const { copies, address, signal } = options;
  const reads = store.tables(siteReads);
  const write: Write = (work) => store.transaction((tx) => work(tx.tables(siteWrites)));
  const world: PublishWorld = { ...options, ...runtime, reads, write };
  const mutex = new KeyedMutex();
  // Only one process at a time changes sites, and within a process changes to one site are serialised.
  const lock = (wait: LockWait) => cluster.lock(copies.pathOf(""), wait);
  const alone = <T>(name: string, work: () => Promise<T>): Promise<T> =>
    mutex.run(name, async () => {
      using held = await lock({ signal, queued: () => {} });
      await held.requireHeld();
      return work();
    });
  return {
    ...reads,
    ...passwords(write),
    urlOf: (name: string) => `${address()}/sites/${name}/`,
    pathOf: ({ directory }: Pick<SiteVersion, "directory">) => copies.pathOf(directory),
    preview: (request: PublishRequest, signal: AbortSignal): Promise<Found> =>
      previewPublication(request, world, signal),
    publish: (publishing: Publication, until: AbortSignal): Promise<SiteVersion> =>
      mutex.run(publishing.name, async () => {
        using held = await lock({ signal: until, queued: () => publishing.progress?.(WAITING) });
        return await publish(publishing, { ...world, requireHeld: () => held.requireHeld() }, until);
      }),

    unpublish: ({ name }: Site): Promise<void> =>
      alone(name, async () => {
        const directories = (await reads.versions([name])).map(({ directory }) => directory);
        await write((sites) => sites.remove(name));
        await copies.remove(directories);
      }),

    /** Serves another version. Null if there is none with that number, or none before the served one. */
    rollback: ({ name }: Site, wanted: number | null): Promise<SiteVersion | null> =>
      alone(name, async () => {
        const served = (await reads.get(name))?.version ?? 0;
        const versions = await reads.versions([name]);
        const found = versions.find(({ number }) => (wanted === null ? number < served : number === wanted));
        if (found === undefined) return null;
        await write((sites) => sites.serve(name, found.number));
        return found;
      }),

    /** Removes what a crash left, before this process publishes. If another is publishing, a later start does. */
    sweep: async (): Promise<void> => {
      const soon = AbortSignal.timeout(SWEEP_WAIT_MS);
      try {
        using held = await lock({ signal: soon, queued: () => {} });
        await held.requireHeld();
        await copies.sweep(new Set(await reads.directories()));
      } catch (error) {
        if (error !== soon.reason) throw error;
      }
    },
  };
}

/** In milliseconds. */
const SWEEP_WAIT_MS = 2_000;

const WAITING = "waits for another one to be published";

function passwords(write: Write) {
  return {
    /** Sets a new random password, which cannot be looked up later. */
    async protect({ name }: Site): Promise<string> {
      const password = newPassword();
      const hash = await hashPassword(password);
      await write((sites) => sites.protect(name, hash));
      return password;
    },

    unprotect: ({ name }: Site): Promise<void> => write((sites) => sites.protect(name, null)),
  };
}
