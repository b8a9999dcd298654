import { checkCombinations, exposedHome, unknownVariables } from "./config/combinations.ts";
import { environmentSchema, providerEnvironmentSchema } from "./config/environment.ts";
import { passedOn } from "./config/mcp/passed-on.ts";
import { readServers } from "./config/mcp/read-servers.ts";
import { takeServers } from "./config/mcp/shapes.ts";
import { describeIssues, environmentStyle, fileStyle } from "./config/problems.ts";
import { type Config, resolveConfig } from "./config/resolve.ts";
import { settingsSchema } from "./config/settings.ts";
import { type Environment, readConfigFile, readEnvironment } from "./config/sources.ts";
import { webSearchProblems } from "./config/web-search.ts";
import { ConfigError } from "./core/protocol/errors.ts";

/**
 * Configuration: the environment (with `.env` beneath it) over `deckhand.config.json` over defaults.
 * Nothing else in the program reads `process.env`.
 */

export type { Config } from "./config/resolve.ts";

export interface ConfigSources {
  readonly env: Environment;
  /** Where relative paths, `.env` and the default settings file are looked for. */
  readonly cwd: string;
}

/** What this process was started with. */
export function processSources(): ConfigSources {
  return { env: process.env, cwd: process.cwd() };
}

/** Throws ConfigError with a line for every problem there is. */
export function loadConfig(sources: ConfigSources): Config {
  const environment = readEnvironment(sources.env, sources.cwd);
  const file = readConfigFile(environment.value, sources.cwd);
  const pasted = takeServers(file.value);

  const env = environmentSchema.safeParse(environment.value, { reportInput: true });
  const providers = providerEnvironmentSchema.safeParse(environment.value, { reportInput: true });
  const settings = settingsSchema.safeParse(pasted.rest, { reportInput: true });
  const { problems, warnings } = checkCombinations(environment.value);

  const all = [...environment.problems, ...file.problems, ...problems];
  if (env.error) all.push(...describeIssues(env.error, environmentSchema, environmentStyle));
  if (providers.error) all.push(...describeIssues(providers.error, providerEnvironmentSchema, environmentStyle));
  if (settings.error) all.push(...describeIssues(settings.error, settingsSchema, fileStyle(file.name)));
  all.push(...pasted.problems.map((problem) => `${file.name}: ${problem}`));
  const { notes, used, ...mcp } = readServers(pasted, environment.value);
  if (env.success && settings.success) all.push(...webSearchProblems(settings.data, env.data));
  if (all.length > 0 || !env.success || !providers.success || !settings.success) throw new ConfigError(all);

  const { shape } = environmentSchema;
  const known = [...Object.keys(shape), ...Object.keys(providerEnvironmentSchema.shape), ...used];
  const config = resolveConfig({
    env: env.data,
    providers: providers.data,
    settings: settings.data,
    mcp: { ...mcp, environment: passedOn(environment.value) },
    configFile: file.path,
    cwd: sources.cwd,
    warnings: [
      ...warnings,
      ...notes,
      ...unknownVariables({ env: environment.value, inFile: environment.inFile, known }),
    ],
  });
  const exposed = exposedHome(config, file.name);
  if (exposed.length > 0) throw new ConfigError(exposed);
  return config;
}
