import type { ProviderSettings } from "./registry.ts";

/** A provider's settings without its key. */
export interface SetProvider extends Omit<ProviderSettings, "apiKey"> {
  /** given: by the environment or the settings file; stored: set while the program ran. Null if it has none. */
  readonly key: "given" | "stored" | null;
}

/** The settings of each provider, by id. Read them anew each time, since keys may be set while the program runs. */
export interface LiveProviders {
  readonly settings: Readonly<Record<string, ProviderSettings>>;
  /** The same without keys. */
  readonly shown: () => Readonly<Record<string, SetProvider>>;
  /** The settings with another key for one provider. */
  readonly with: (id: string, apiKey: string) => LiveProviders["settings"];
  /** Changes with every change of the settings. */
  readonly version: () => number;
  /** Replaces the stored keys. Keys given by the operator win over them. */
  readonly setKeys: (keys: ReadonlyMap<string, string>) => void;
}

/** `regions`: of providers without other settings. */
export function liveProviders(
  given: Readonly<Record<string, ProviderSettings>>,
  regions: Readonly<Record<string, string>> = {},
): LiveProviders {
  const settings: Record<string, ProviderSettings> = { ...given };
  let version = 0;
  const withKey = (id: string, apiKey: string): ProviderSettings => {
    const region = regions[id];
    return { ...(region === undefined ? {} : { region }), ...given[id], apiKey };
  };
  return {
    settings,
    with: (id, apiKey) => ({ ...settings, [id]: withKey(id, apiKey) }),
    shown: () =>
      Object.fromEntries(
        Object.entries(settings).map(([id, { apiKey, ...set }]): [string, SetProvider] => {
          const key = apiKey === undefined ? null : given[id]?.apiKey === undefined ? "stored" : "given";
          return [id, { ...set, key }];
        }),
      ),
    version: () => version,
    setKeys(keys) {
      for (const id of new Set([...Object.keys(settings), ...keys.keys()])) {
        const own = given[id];
        const apiKey = own?.apiKey ?? keys.get(id);
        if (apiKey === settings[id]?.apiKey) continue;
        version += 1;
        if (apiKey !== undefined) settings[id] = withKey(id, apiKey);
        else if (own !== undefined) settings[id] = own;
        else delete settings[id];
      }
    },
  };
}
