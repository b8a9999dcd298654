import { checkCombinations, exposedHome, unknownVariables } from "./config/combinations.ts";
import { environmentSchema, providerEnvironmentSchema } from "./config/environment.ts";
import { configureFeatures, environmentWith, settingsWith, withoutOwnKeys } from "./config/features.ts";
import { openSettings } from "./config/open-settings.ts";
import { sharedPorts } from "./config/ports.ts";
import { describeIssues, environmentStyle, fileStyle, PARSE_OPTIONS } from "./config/problems.ts";
import { type Config, type Origin, resolveConfig } from "./config/resolve.ts";
import { settingsSchema } from "./config/settings.ts";
import { type Environment, readLayers } from "./config/sources.ts";
import { mergeOver, type Plain } from "./config/stored/plain.ts";
import { ConfigError } from "./core/protocol/errors.ts";
import type { Feature } from "./feature.ts";

/**
 * Configuration, by precedence: the environment (with `.env` as fallback), `deckhand.config.json`, the page's settings
 * from the database, and defaults. Nothing else in the program reads `process.env`.
 */

export type { Config } from "./config/resolve.ts";

export interface ConfigSources {
  readonly env: Environment;
  /** The directory for relative paths, `.env` and the default settings file. */
  readonly cwd: string;
}

export function processSources(): ConfigSources {
  return { env: process.env, cwd: process.cwd() };
}

/** Loads the configuration. Throws ConfigError with a line for every problem. */
export function loadConfig(sources: ConfigSources, features: readonly Feature[]): Config {
  return configFrom({ layers: readLayers(sources.env, sources.cwd), features }, {});
}

/** Builds the configuration from sources that were already read, over the page's settings `set`. */
export function configFrom(origin: Origin, set: Plain): Config {
  const { layers, features } = origin;
  const { environment, file } = layers;
  const raw = mergeOver(file.value, set);
  const wholeEnvironment = environmentWith(features);
  const wholeSettings = settingsWith(features);

  const env = wholeEnvironment.safeParse(environment.value, PARSE_OPTIONS);
  const providers = providerEnvironmentSchema.safeParse(environment.value, PARSE_OPTIONS);
  const settings = wholeSettings.safeParse(withoutOwnKeys(raw, features), PARSE_OPTIONS);
  const { problems, warnings } = checkCombinations(environment.value);

  const all = [...environment.problems, ...file.problems, ...problems];
  if (env.error) all.push(...describeIssues(env.error, wholeEnvironment, environmentStyle));
  if (providers.error) all.push(...describeIssues(providers.error, providerEnvironmentSchema, environmentStyle));
  if (settings.error) all.push(...describeIssues(settings.error, wholeSettings, fileStyle(file.name)));
  if (!env.success || !providers.success || !settings.success) throw new ConfigError(all);
  const core = {
    env: environmentSchema.parse(environment.value),
    settings: settingsSchema.strip().parse(settings.data),
  };
  const written = { raw, checked: settings.data, environment: environment.value, fileName: file.name };
  const configured = configureFeatures(features, written);
  all.push(...configured.flatMap((feature) => feature.problems));
  if (all.length > 0) throw new ConfigError(all);

  const used = configured.flatMap(({ usedVariables }) => usedVariables ?? []);
  const known = [...Object.keys(wholeEnvironment.shape), ...Object.keys(providerEnvironmentSchema.shape), ...used];
  const config = resolveConfig({
    ...core,
    origin,
    providers: providers.data,
    features: configured,
    configFile: file.path,
    cwd: layers.cwd,
    warnings: [
      ...warnings,
      ...configured.flatMap((feature) => feature.warnings ?? []),
      ...unknownVariables({ env: environment.value, inFile: environment.inFile, known }),
    ],
  });
  const wrong = [...exposedHome(config, file.name), ...sharedPorts(config)];
  if (wrong.length > 0) throw new ConfigError(wrong);
  return { ...config, warnings: [...config.warnings, ...openSettings(config)] };
}
