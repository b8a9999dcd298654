import path from "node:path";
import type { SubcommandWorld } from "../../cli/subcommand.ts";
import { CATALOG } from "../../core/providers/catalog.ts";
import type { SetProvider } from "../../core/providers/registry/live-providers.ts";
import { utcDay } from "../../core/text/utc.ts";
import { readSealingKey } from "../../tools/secrets/sealing-key.ts";
import { KEYS_CHANGED } from "./keyring.ts";
import { shownProviders } from "./providers.ts";
import { type KeysWorld, nameOf, openKeys, removeKey, storeKey } from "./stored-keys.ts";

export type KeysRequest =
  | { readonly type: "set" | "remove" | "test"; readonly provider: string }
  | { readonly type: "list" };

interface KeysCommandScope extends KeysWorld {
  readonly providers: () => Readonly<Record<string, SetProvider>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly fileName: string;
  /** Asks for a key at the terminal. */
  readonly key: () => Promise<string>;
  readonly tryKey: (provider: string) => Promise<{ readonly ok: boolean; readonly text: string }>;
}

interface CommandResult {
  readonly ok: boolean;
  /** Whether stored keys have changed. */
  readonly hasChanged: boolean;
  readonly lines: readonly string[];
}

export function runKeys(request: KeysRequest, { config, answer, newKey, onStore }: SubcommandWorld): Promise<void> {
  return onStore(async ({ store, runtime, home, providers, tryKey, audit, notify }) => {
    const live = await providers(config);
    const environment = config.origin.layers.environment.value;
    const { ok, hasChanged, lines } = await changeKeys(request, {
      store,
      clock: runtime.clock,
      home,
      given: readSealingKey(environment["DECKHAND_SECRET_KEY"] ?? ""),
      environment,
      providers: live.shown,
      fileName: config.configFile === null ? "deckhand.config.json" : path.basename(config.configFile),
      key: newKey,
      tryKey: (provider) => tryKey(provider, live),
    });
    answer({ ok, lines });
    if (!hasChanged || request.type === "list") return;
    const act = request.type === "set" ? "provider.key_set" : "provider.key_removed";
    await audit({ act, about: nameOf(request.provider) });
    await KEYS_CHANGED.send(home);
    await notify("keys");
  });
}

/** Carries out a request; returns lines for the terminal. */
async function changeKeys(request: KeysRequest, world: KeysCommandScope): Promise<CommandResult> {
  switch (request.type) {
    case "set":
      return set(request.provider, world);
    case "remove": {
      const wasThere = await removeKey(request.provider, world);
      const line = wasThere
        ? `✓ The key for ${nameOf(request.provider)} was removed.`
        : `✗ No key for ${request.provider} is stored. \`deckhand keys list\` lists the stored keys.`;
      return { ok: wasThere, hasChanged: wasThere, lines: [line] };
    }
    case "test": {
      const { keyRequired = false } = CATALOG.find(({ id }) => id === request.provider) ?? {};
      if (keyRequired && (world.providers()[request.provider]?.key ?? null) === null) {
        const line = `✗ ${nameOf(request.provider)} has no key. \`deckhand keys set ${request.provider}\` stores one.`;
        return { ok: false, hasChanged: false, lines: [line] };
      }
      const { ok, text } = await world.tryKey(request.provider);
      return { ok, hasChanged: false, lines: [`${ok ? "✓" : "✗"} ${text}`] };
    }
    default:
      return { ok: true, hasChanged: false, lines: await list(world) };
  }
}

async function set(provider: string, world: KeysCommandScope): Promise<CommandResult> {
  const key = (await world.key()).trim();
  const problem = await storeKey({ provider, key, by: "command line" }, { ...world, providers: world.providers() });
  if (problem !== null) return { ok: false, hasChanged: false, lines: [`✗ ${problem}`] };
  const line = `✓ The key for ${nameOf(provider)} is stored. \`deckhand keys test ${provider}\` tests it.`;
  return { ok: true, hasChanged: true, lines: [line] };
}

async function list(world: KeysCommandScope): Promise<readonly string[]> {
  const { stored, problem } = await openKeys(world);
  const shown = shownProviders(world.providers(), { ...world, stored }).filter(
    (provider) => provider.keyFrom !== null || provider.stored !== null,
  );
  if (shown.length === 0) return ["No provider has a key. `deckhand keys set <provider>` stores one."];
  return [
    ...shown.map(({ id, keyFrom, stored: key }) => {
      if (keyFrom !== null)
        return `${id} · from ${keyFrom}${key === null ? "" : ", which takes precedence over the stored one"}`;
      const end = key === null || key.hint === "" ? "" : `, ends in ${key.hint}`;
      const who = key === null ? "" : ` by ${key.by}`;
      return `${id} · stored${end} · set${who} ${utcDay(key?.at ?? 0)}`;
    }),
    ...(problem === null ? [] : [`⚠ ${problem}`]),
  ];
}
