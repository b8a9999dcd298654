import { unwatchFile, watchFile } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { createTeller, followOthers } from "../../core/follow-others.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { keysDirectory } from "./sealing-key.ts";
import { type KeysWorld, type OpenedKeys, openKeys, removeKey, storeKey } from "./stored-keys.ts";

/** Stored keys of a running program: each model call from now on has those that are stored now. */
export interface Keyring {
  readonly stored: () => OpenedKeys["stored"];
  /** Why some cannot be used, as a sentence; null: all can be. */
  readonly problem: () => string | null;
  /** Null: it is stored and in use; otherwise why it is not, as a sentence. `by`: an account's name, or empty. */
  readonly set: (key: {
    readonly provider: string;
    readonly key: string;
    readonly by: string;
  }) => Promise<string | null>;
  /** False where there was none. */
  readonly remove: (provider: string) => Promise<boolean>;
  /** Reads them again when the command line has changed them, or another process, until the signal. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
  /** Reads them again. */
  readonly look: () => Promise<void>;
}

type Host = Pick<FeatureHost, "store" | "runtime" | "home" | "log" | "providers" | "giveKeys" | "cluster">;

/** How often is read what other processes have set, where there are any and no word of it has come. Milliseconds. */
const LOOK_MS = 10_000;

/** How often it is seen whether it was written: not every machine has what tells of that left, nor every file system. Milliseconds. */
const GLANCE_MS = 1_000;

/** What is watched: a file that whoever changes keys beside this process writes. */
const CHANGED = "changed";

export async function openKeyring(host: Host, given: Uint8Array | null): Promise<Keyring> {
  const { store, home, log, cluster } = host;
  const { clock } = host.runtime;
  const world: KeysWorld = { store, clock, home, given };
  const changes = { cluster, topic: "keys", clock, log } as const;
  const tellOthers = createTeller(changes);
  let opened: OpenedKeys = { keys: new Map(), stored: [], problem: null };
  let latest = 0;
  const load = async (): Promise<void> => {
    latest += 1;
    const mine = latest;
    const found = await openKeys(world);
    // What was begun later has seen more.
    if (mine !== latest) return;
    if (found.problem !== null && found.problem !== opened.problem)
      log.warn({ problem: found.problem }, "keys_unusable");
    opened = found;
    host.giveKeys(found.keys);
  };
  /** What is stored is stored, and is found again by the next start at the latest. */
  const reload = (): Promise<void> =>
    load().catch((error: unknown) => log.error({ err: toAppError(error) }, "keys_not_read"));
  await load();
  return {
    stored: () => opened.stored,
    problem: () => opened.problem,
    async set(key) {
      const problem = await storeKey(key, { ...world, providers: host.providers() });
      if (problem !== null) return problem;
      tellOthers();
      await reload();
      return null;
    },
    async remove(provider) {
      const wasThere = await removeKey(provider, world);
      tellOthers();
      await reload();
      return wasThere;
    },
    look: reload,
    async follow(signal) {
      followOthers({ ...changes, everyMs: LOOK_MS, signal }, reload);
      const file = path.join(keysDirectory(home), CHANGED);
      watchFile(file, { persistent: false, interval: GLANCE_MS }, () => void reload());
      signal.addEventListener("abort", () => unwatchFile(file));
      // What has changed since they were first read was told to nobody.
      await reload();
    },
  };
}

/** Tells a program that runs on this home that keys have changed. */
export async function tellOfKeys(home: string): Promise<void> {
  const directory = keysDirectory(home);
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await writeFile(path.join(directory, CHANGED), "", { mode: 0o600 });
}
