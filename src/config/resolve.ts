import path from "node:path";
import type { z } from "zod";
import type { QueryConfig } from "../core/agents/query-config.ts";
import { PROVIDER_ENVIRONMENT } from "../core/providers/catalog.ts";
import type { Sink } from "../core/trust/egress.ts";
import type { Feature } from "../feature.ts";
import { sqliteFileOf } from "../home.ts";
import type { NamedFeature } from "../open-features.ts";
import { type ProxySettings, proxyOf } from "../operations/proxy.ts";
import { driverUrl } from "./database-url.ts";
import type { EnvironmentSettings } from "./environment.ts";
import { type ChannelSettings, type ProviderSettings, querySchema, type Settings, settingsSchema } from "./settings.ts";
import type { Layers } from "./sources.ts";

/** The program's query settings, which those of a channel or an agent override. */
export type QueryDefaults = Omit<QueryConfig, "model" | "workingDirectory" | "agentDefinition"> & {
  /** `provider/model`; null if none is set, and the program chooses among the providers with a key. */
  readonly model: string | null;
  /** Relative to the sandbox root. */
  readonly workingDirectory: string;
  /** An agent's name, or a definition in the settings. */
  readonly agentDefinition: NonNullable<Settings["agentDefinition"]>;
};

export interface SlackConfig {
  readonly botToken: string;
  readonly mode:
    | { readonly type: "socket"; readonly appToken: string }
    | { readonly type: "http"; readonly signingSecret: string; readonly host: string; readonly port: number };
  readonly apiUrl?: string;
}

export interface DiscordConfig {
  readonly token: string;
  /** Without version. */
  readonly apiUrl?: string;
}

export interface DatabaseConfig {
  readonly kind: "sqlite" | "postgresql";
  /** `file:` with an absolute path, or `postgresql://…`. */
  readonly url: string;
  /** The same database without a pooler, for what is bound to a connection, such as locks and notifications. */
  readonly directUrl: string;
}

/** Settings that the configuration takes over as they are. */
const keptSchema = settingsSchema
  .pick({
    access: true,
    approvals: true,
    jobs: true,
    reactions: true,
    blockedUrls: true,
    instructions: true,
    guardedFiles: true,
    confinement: true,
    budgets: true,
    agents: true,
    fastModel: true,
    maxConcurrentRuns: true,
    quotas: true,
  })
  .strip();

export interface Config extends Readonly<z.infer<typeof keptSchema>> {
  /** Hosts that may be read, including those in `sinks`. */
  readonly allowedHosts: readonly string[];
  readonly sinks: readonly Sink[];
  /** Null if the platform has no token, and so is off. */
  readonly slack: SlackConfig | null;
  readonly discord: DiscordConfig | null;
  readonly web: {
    readonly host: string;
    readonly port: number;
    /** Null if people reach the page at the address that it listens on. */
    readonly url: string | null;
    readonly trustProxy: readonly string[];
  };
  /** Null if the internet is reached directly. */
  readonly proxy: ProxySettings | null;
  readonly database: DatabaseConfig;
  readonly engine: EnvironmentSettings["DECKHAND_ENGINE"];
  /** Absolute paths. */
  readonly home: string;
  readonly sandbox: string;
  /** Absolute path of the settings file; null if there is none. */
  readonly configFile: string | null;
  readonly logLevel: EnvironmentSettings["LOG_LEVEL"];
  readonly query: QueryDefaults;
  /** By `platform:id`; `directory` is absolute. */
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  /** Keys and addresses by provider id, from the environment and the file. */
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** By provider id, from the environment, even for providers without other settings. */
  readonly providerRegions: Readonly<Record<string, string>>;
  readonly features: readonly NamedFeature[];
  /** Warnings for the operator about settings that are valid but suspicious. */
  readonly warnings: readonly string[];
  /** The layers it was built from, needed to apply the page's settings. */
  readonly origin: Origin;
}

/** What was read when the program began, and the features that read it. */
export interface Origin {
  readonly layers: Layers;
  readonly features: readonly Feature[];
}

export interface ParsedSources {
  readonly origin: Origin;
  readonly env: EnvironmentSettings;
  readonly providers: Readonly<Record<string, string | undefined>>;
  readonly settings: Settings;
  readonly features: readonly NamedFeature[];
  readonly configFile: string | null;
  readonly cwd: string;
  readonly warnings: readonly string[];
}

export function resolveConfig(parsed: ParsedSources): Config {
  const { env, settings, cwd } = parsed;
  const home = path.resolve(cwd, env.DECKHAND_HOME);
  return {
    ...keptSchema.parse(settings),
    slack: slackOf(env),
    discord: discordOf(env),
    web: { host: env.HOST, port: Number(env.PORT), url: settings.web.url ?? null, trustProxy: settings.web.trustProxy },
    proxy: proxyOf(parsed.origin.layers.environment.value, env.HOST),
    database: databaseOf(env, home, cwd),
    engine: env.DECKHAND_ENGINE,
    home,
    sandbox: path.resolve(cwd, env.DECKHAND_SANDBOX),
    configFile: parsed.configFile,
    logLevel: env.LOG_LEVEL,
    query: queryOf(env, settings),
    allowedHosts: settings.allowedHosts.map((entry) => (typeof entry === "string" ? entry : entry.host)),
    sinks: settings.allowedHosts.filter((entry) => typeof entry !== "string"),
    features: parsed.features,
    channels: channelsOf(settings, parsed.configFile === null ? cwd : path.dirname(parsed.configFile)),
    providers: providersOf(parsed),
    providerRegions: regionsOf(parsed),
    warnings: parsed.warnings,
    origin: parsed.origin,
  };
}

function slackOf(env: EnvironmentSettings): SlackConfig | null {
  if (env.SLACK_BOT_TOKEN === undefined) return null;
  const base = {
    botToken: env.SLACK_BOT_TOKEN,
    ...(env.SLACK_API_URL === undefined ? {} : { apiUrl: env.SLACK_API_URL }),
  };
  if (env.SLACK_APP_TOKEN !== undefined) return { ...base, mode: { type: "socket", appToken: env.SLACK_APP_TOKEN } };
  if (env.SLACK_SIGNING_SECRET === undefined) return null;
  const listener = { host: env.SLACK_HTTP_HOST, port: Number(env.SLACK_HTTP_PORT) };
  return { ...base, mode: { type: "http", signingSecret: env.SLACK_SIGNING_SECRET, ...listener } };
}

function discordOf(env: EnvironmentSettings): DiscordConfig | null {
  if (env.DISCORD_TOKEN === undefined) return null;
  return { token: env.DISCORD_TOKEN, ...(env.DISCORD_API_URL === undefined ? {} : { apiUrl: env.DISCORD_API_URL }) };
}

function databaseOf(env: EnvironmentSettings, home: string, cwd: string): DatabaseConfig {
  const given = env.DATABASE_URL ?? `file:${sqliteFileOf({ home })}`;
  if (!given.startsWith("file:"))
    return {
      kind: "postgresql",
      url: driverUrl(given),
      directUrl: driverUrl(env.DATABASE_DIRECT_URL ?? given),
    };
  const url = `file:${path.resolve(cwd, given.slice("file:".length))}`;
  return { kind: "sqlite", url, directUrl: url };
}

function queryOf(env: EnvironmentSettings, settings: Settings): QueryDefaults {
  const { instructions: _instructions, ...own } = querySchema.parse(settings);
  const fallbackModel = env.DECKHAND_FALLBACK_MODEL ?? settings.fallbackModel;
  const maxBudgetUsd = settings.maxBudgetUsd ?? settings.budgets.runUsd;
  return {
    maxTokens: 32_000,
    maxTurns: 50,
    toolResultBudget: 50_000,
    outputStyle: "default",
    workingDirectory: ".",
    agentDefinition: "build",
    mode: "write",
    logContext: {},
    ...own,
    model: env.DECKHAND_MODEL ?? settings.model ?? null,
    ...(fallbackModel === undefined ? {} : { fallbackModel }),
    ...(maxBudgetUsd === undefined ? {} : { maxBudgetUsd }),
  };
}

function channelsOf(settings: Settings, base: string): Config["channels"] {
  const entries = Object.entries(settings.channels).map(([id, channel]) => {
    if (channel.directory === undefined) return [id, channel] as const;
    return [id, { ...channel, directory: path.resolve(base, channel.directory) }] as const;
  });
  return Object.fromEntries(entries);
}

function providersOf({ providers, settings }: ParsedSources): Config["providers"] {
  const merged: Record<string, ProviderSettings> = {};
  const regions = regionsOf({ providers });
  const ids = new Set([
    ...PROVIDER_ENVIRONMENT.map(({ id }) => id),
    ...Object.keys(settings.providerRegistry),
    ...Object.keys(settings.providers),
  ]);
  for (const id of ids) {
    const variables = PROVIDER_ENVIRONMENT.find((one) => one.id === id);
    const apiKey = variables?.keyVariable == null ? undefined : providers[variables.keyVariable];
    const baseUrl = variables === undefined ? undefined : providers[variables.baseUrlVariable];
    const region = regions[id];
    const provider = {
      ...settings.providerRegistry[id],
      ...settings.providers[id],
      ...(apiKey === undefined ? {} : { apiKey }),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    };
    // A region alone configures no provider, since most machines in that cloud have one.
    if (Object.keys(provider).length > 0) merged[id] = { ...provider, ...(region === undefined ? {} : { region }) };
  }
  return merged;
}

function regionsOf({ providers }: Pick<ParsedSources, "providers">): Config["providerRegions"] {
  const set = PROVIDER_ENVIRONMENT.flatMap(({ id, regionVariable }) => {
    const region = regionVariable === null ? undefined : providers[regionVariable];
    return region === undefined ? [] : [[id, region] as const];
  });
  return Object.fromEntries(set);
}
