import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { onTestFinished } from "vitest";
import type { TakeLock } from "../../../src/core/cluster.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import type { Store } from "../../../src/core/store/store.ts";
import { createCopies } from "../../../src/features/sites/copies.ts";
import { startSiteServer } from "../../../src/features/sites/server.ts";
import { createSites, type Sites } from "../../../src/features/sites/sites.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { openFileStore } from "../../support/database/empty-database.ts";
import { silentLog } from "../../support/silent-log.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

export const LIMITS = { files: 2_000, bytes: 100_000_000 };
export const ANA = { id: "slack:U0ANA", name: "ana" };

/** Sites in a directory of their own, over a real database, served on a port of their own. */
export interface SiteWorld {
  readonly home: string;
  /** The sandbox root. */
  readonly root: string;
  readonly sites: Sites;
  readonly store: Store;
  readonly origin: string;
  /** The copies on the disk. */
  folders(): readonly string[];
  /** Writes files beneath the root. */
  put(directory: string, files: Readonly<Record<string, string | Buffer>>): void;
  /** Publishes a directory of the root, and answers the site's address. */
  publish(name: string, directory?: string): Promise<string>;
}

export interface SiteWorldOptions {
  readonly home?: string;
  readonly clock?: Pick<Clock, "now">;
  readonly url?: string;
  readonly keptVersions?: number;
  /** Locks out other processes of the same home; by default there are none. */
  readonly lock?: TakeLock;
}

export async function siteWorld({
  home = tempDirectory(),
  clock,
  url,
  keptVersions = 5,
  lock,
}: SiteWorldOptions = {}): Promise<SiteWorld> {
  const root = path.join(home, "root");
  mkdirSync(root, { recursive: true });
  const runtime = systemRuntime();
  const store = await openFileStore(path.join(home, "deckhand.db"), runtime);
  const only = onlyProcess({ clock: runtime.clock, log: silentLog });
  let port = 0;
  const sites = createSites(
    { store, runtime, cluster: { ...only, lock: lock ?? only.lock } },
    {
      limits: LIMITS,
      keptVersions,
      copies: createCopies(path.join(home, "sites")),
      address: () => `http://127.0.0.1:${port}`,
      signal: new AbortController().signal,
    },
  );
  await sites.sweep();
  const server = await startSiteServer({
    host: "127.0.0.1",
    port: 0,
    url: url ?? null,
    sites,
    passKey: "a secret",
    clock: clock ?? runtime.clock,
    log: silentLog,
  });
  port = server.port;
  onTestFinished(async () => {
    await server.close();
    await store.close();
  });
  let published = 0;
  return {
    home,
    root,
    sites,
    store,
    origin: `http://127.0.0.1:${port}`,
    folders: () => (existsSync(path.join(home, "sites")) ? readdirSync(path.join(home, "sites")) : []),
    put(directory, files) {
      for (const [name, content] of Object.entries(files)) {
        const file = path.join(root, directory, name);
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, content);
      }
    },
    async publish(name, directory = name) {
      published += 1;
      const source = { root, directory };
      const key = `${Date.now()} ${published}`;
      await sites.publish({ name, source, channelKey: "slack:C1", by: ANA, key }, AbortSignal.timeout(60_000));
      return sites.urlOf(name);
    },
  };
}
