import type { Clock } from "../../core/protocol/runtime.ts";
import { CATALOG, DEMO_PROVIDER } from "../../core/providers/catalog.ts";
import type { SetProvider } from "../../core/providers/registry/live-providers.ts";
import type { Store } from "../../core/store/store.ts";
import { figure } from "../../core/text/dollars.ts";
import type { StoredKeys } from "../../feature.ts";
import { seal, unseal } from "../../tools/secrets/sealed.ts";
import { sealingKey } from "../../tools/secrets/sealing-key.ts";
import { keyReads, keyWrites, type SealedKey } from "./store.ts";

/** Length of a key, in characters; those of Bedrock and Copilot are long. */
const LENGTH = { least: 8, most: 4_000 };
const HINT_CHARS = 4;
/** The last characters of a shorter key would reveal too much of it. */
const HINTED_FROM = 20;

export interface KeysWorld {
  readonly store: Store;
  readonly clock: Pick<Clock, "now">;
  /** Absolute path of the directory that holds all state. */
  readonly home: string;
  /** DECKHAND_SECRET_KEY; null if not set. */
  readonly given: Uint8Array | null;
}

/** What people see of a key. */
export type StoredKey = Pick<SealedKey, "provider" | "hint" | "by" | "at">;

export interface OpenedKeys extends StoredKeys {
  readonly stored: readonly StoredKey[];
}

/** Takes one statement. */
export async function openKeys({ store, ...world }: KeysWorld): Promise<OpenedKeys> {
  const rows = await store.tables(keyReads).all();
  if (rows.length === 0) return { keys: new Map(), stored: [], problem: null };
  const by = await sealingKey(world, false);
  const stored = rows.map(({ sealed: _sealed, ...row }) => row);
  if ("problem" in by) return { keys: new Map(), stored, problem: unusable(rows, by.problem) };
  const keys = new Map<string, string>();
  for (const { provider, sealed } of rows) {
    const key = unseal(sealed, purposeOf(provider), by.key);
    if (key !== null) keys.set(provider, key);
  }
  const lost = rows.filter(({ provider }) => !keys.has(provider));
  const why = "they were encrypted with another key. Restore that key, or set them again.";
  return { keys, stored, problem: lost.length === 0 ? null : unusable(lost, why) };
}

function unusable(rows: readonly SealedKey[], why: string): string {
  return `Stored keys cannot be used (${rows.map(({ provider }) => nameOf(provider)).join(", ")}): ${why}`;
}

/** Stores a key; null, or the reason for its refusal as a sentence. */
export async function storeKey(
  { provider, key, by }: { readonly provider: string; readonly key: string; readonly by: string },
  world: KeysWorld & { readonly providers: Readonly<Record<string, SetProvider>> },
): Promise<string | null> {
  const problem = providerProblem(provider, world.providers) ?? keyProblem(key);
  if (problem !== null) return problem;
  const sealing = await sealingKey(world, true);
  if ("problem" in sealing) return sealing.problem;
  const hint = key.length < HINTED_FROM ? "" : key.slice(-HINT_CHARS);
  const sealed = seal(key, purposeOf(provider), sealing.key);
  await world.store.transaction((tx) =>
    tx.tables(keyWrites).set({ provider, sealed, hint, by, at: world.clock.now() }),
  );
  return null;
}

export function removeKey(provider: string, { store }: Pick<KeysWorld, "store">): Promise<boolean> {
  return store.transaction((tx) => tx.tables(keyWrites).remove(provider));
}

function providerProblem(id: string, providers: Readonly<Record<string, SetProvider>>): string | null {
  const isKnown = CATALOG.some((entry) => entry.id === id) || Object.hasOwn(providers, id);
  if (id === DEMO_PROVIDER || !isKnown) return `There is no provider ${id}.`;
  if (providers[id]?.key !== "given") return null;
  return `The key for ${nameOf(id)} is set by the environment or the settings file, which take precedence. Remove it there first.`;
}

/** Why a text cannot be a key, as a sentence; null if it can. */
export function keyProblem(key: string): string | null {
  if (key === "") return "Enter a key.";
  if (!/^[\x21-\x7e]+$/u.test(key)) return "A key has no spaces or non-ASCII characters. Copy it again.";
  if (key.length < LENGTH.least) return `A key has at least ${LENGTH.least} characters. Copy all of it.`;
  return key.length > LENGTH.most ? `A key has at most ${figure(LENGTH.most)} characters.` : null;
}

export function nameOf(id: string): string {
  return CATALOG.find((entry) => entry.id === id)?.name ?? id;
}

function purposeOf(provider: string): string {
  return `provider key of ${provider}`;
}
