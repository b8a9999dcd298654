import { createChangeNotifier, followChanges } from "../../core/change-notices.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { changeSignal } from "../../tools/secrets/change-signal.ts";
import { type KeysWorld, type OpenedKeys, openKeys, removeKey, storeKey } from "./stored-keys.ts";

/** The stored keys in a running program; each model call uses the keys stored at that time. */
export interface Keyring {
  readonly stored: () => OpenedKeys["stored"];
  /** Why some keys cannot be used, as a sentence; null if all can. */
  readonly problem: () => string | null;
  /** Stores a key and uses it from now on; null, or a sentence why not. `by` is an account's name, or empty. */
  readonly set: (key: Parameters<typeof storeKey>[0]) => Promise<string | null>;
  /** False if there was none. */
  readonly remove: (provider: string) => Promise<boolean>;
  /** Rereads the keys whenever the command line or another process has changed them, until the signal aborts. */
  readonly follow: (signal: AbortSignal) => Promise<void>;
  /** Rereads the keys. */
  readonly reload: () => Promise<void>;
}

type Host = Pick<FeatureHost, "store" | "runtime" | "home" | "log" | "providers" | "giveKeys" | "cluster">;

/** How often to check for changes by other processes in case a notice was lost, in milliseconds. */
const LOOK_MS = 10_000;

/** From the command line, which changes keys beside this process. */
export const KEYS_CHANGED = changeSignal("changed");

export async function openKeyring(host: Host, given: Uint8Array | null): Promise<Keyring> {
  const { store, home, log, cluster } = host;
  const { clock } = host.runtime;
  const world: KeysWorld = { store, clock, home, given };
  const changes = { cluster, topic: "keys", clock, log } as const;
  const tellOthers = createChangeNotifier(changes);
  let opened: OpenedKeys = { keys: new Map(), stored: [], problem: null };
  let latest = 0;
  const load = async (): Promise<void> => {
    latest += 1;
    const mine = latest;
    const found = await openKeys(world);
    // A later load has started meanwhile and sees newer data.
    if (mine !== latest) return;
    if (found.problem !== null && found.problem !== opened.problem)
      log.warn({ problem: found.problem }, "keys_unusable");
    opened = found;
    host.giveKeys(found.keys);
  };
  /** A failure is only logged: the keys are stored, and the next start loads them at the latest. */
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
    reload,
    async follow(signal) {
      followChanges({ ...changes, everyMs: LOOK_MS, signal }, reload);
      KEYS_CHANGED.watch(home, () => void reload(), signal);
      // Catches changes made since the first load, for which no notice arrived.
      await reload();
    },
  };
}
