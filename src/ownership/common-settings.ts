import { hash } from "node:crypto";
import { providerEnvironmentSchema } from "../config/environment.ts";
import { environmentWith } from "../config/features.ts";
import type { Config } from "../config.ts";
import type { ClusterMember } from "../core/cluster.ts";
import { canonicalJson } from "../core/text/canonical-json.ts";
import { isObject } from "../core/text/from-json.ts";

/** Keys of the settings file that may differ between processes. */
const OWN_KEYS: ReadonlySet<string> = new Set(["$schema", "web"]);

/** The key that seals stored keys; processes with another one could not open them. */
const SECRET_KEY = "DECKHAND_SECRET_KEY";

/** Variables that may differ between processes, for example to reach platforms, or are compared in another way. */
const OWN_VARIABLES = /^(?:SLACK_|DISCORD_|DATABASE_|LOG_LEVEL$|HOST$|PORT$|DECKHAND_(?!MODEL$|FALLBACK_MODEL$))/u;

/** Settings that all processes must share, by name for operators, because sessions move between processes. */
const REQUIRED: Readonly<Record<string, string>> = {
  slack: "Slack's token",
  discord: "Discord's token",
  [SECRET_KEY]: SECRET_KEY,
};

/** Settings whose values are shared, since they contain no secrets: approvals, rights, budgets and models. */
const SHARED_SETTINGS: ReadonlySet<string> = new Set([
  "mode",
  "approvals",
  "access",
  "budgets",
  "maxBudgetUsd",
  "maxTurns",
  "model",
  "fallbackModel",
  "DECKHAND_MODEL",
  "DECKHAND_FALLBACK_MODEL",
  "toolAllow",
  "allowedHosts",
  "confinement",
  "guardedFiles",
]);

/** Length of a digest in characters: enough to tell settings apart, too little to reveal a token. */
const DIGEST_CHARS = 12;

/** A longer value is shared as a digest. In characters of JSON. */
const VALUE_CHARS = 120;

export type CommonSettings = Pick<ClusterMember, "settings" | "given">;

/** What this process shares of its settings with others. */
export function commonSettings(config: Pick<Config, "slack" | "discord" | "origin">): CommonSettings {
  const { layers, features } = config.origin;
  const environment = layers.environment.value;
  const required = {
    slack: config.slack?.botToken ?? null,
    discord: config.discord?.token ?? null,
    [SECRET_KEY]: environment[SECRET_KEY] ?? null,
  };
  const variables = { ...environmentWith(features).shape, ...providerEnvironmentSchema.shape };
  const set = Object.keys(variables)
    .filter((name) => environment[name] !== undefined && !OWN_VARIABLES.test(name))
    .map((name) => [[name], environment[name]] as const);
  const inFile = placesIn(layers.file.value, 1).filter(([[key = ""]]) => !OWN_KEYS.has(key));
  return {
    settings: Object.fromEntries(Object.entries(required).map(([name, value]) => [name, digestOf(value)])),
    given: Object.fromEntries([...set, ...inFile].map(([path, value]) => [path.join("."), comparable(path, value)])),
  };
}

type Place = readonly [path: readonly string[], value: unknown];

/** Settings by the names that operators know: `approvals.approvers`, `channels.slack:C1.mode`, `mcpServers.github`. */
function placesIn(value: unknown, depth: number, path: readonly string[] = []): readonly Place[] {
  if (!isObject(value) || path.length > depth) return [[path, value]];
  return Object.entries(value).flatMap(([key, inner]) => {
    return placesIn(inner, path.length === 0 && key === "channels" ? 2 : depth, [...path, key]);
  });
}

/** JSON if people may read the value, otherwise a digest after `#`. */
function comparable(path: readonly string[], value: unknown): string {
  const name = path[0] === "channels" ? path[2] : path[0];
  const text = JSON.stringify(value);
  return SHARED_SETTINGS.has(name ?? "") && text.length <= VALUE_CHARS ? text : `#${digestOf(value)}`;
}

function digestOf(value: unknown): string {
  return hash("sha256", canonicalJson(value)).slice(0, DIGEST_CHARS);
}

/** How this process differs from others. */
export interface SettingsComparison {
  /** Differences with which it cannot run beside them, one line each. */
  readonly problems: readonly string[];
  /** Differences with which it can run, but the effect depends on which process does the work. One line each. */
  readonly warnings: readonly string[];
  /** Names of the settings in `warnings`. */
  readonly names: readonly string[];
}

export function compareSettings(own: CommonSettings, others: readonly ClusterMember[]): SettingsComparison {
  const problems: string[] = [];
  const warnings: string[] = [];
  const names: string[] = [];
  for (const other of others) {
    const there = `the process ${other.pid} on ${other.host}`;
    const required = Object.keys(REQUIRED).flatMap((name) => {
      const value = other.settings[name];
      return value === undefined || value === own.settings[name] ? [] : (REQUIRED[name] ?? []);
    });
    if (required.length > 0)
      problems.push(`${required.join(", and ")} must be the same as in ${there}, which runs on the same database.`);
    const differing = differingNames(own, other);
    names.push(...differing);
    if (differing.length > 0) warnings.push(`Settings differ from those of ${there}: ${words(differing, own, other)}.`);
  }
  return { problems, warnings: warnings.map((line) => `${line} ${UNTIL_THEN}`), names: [...new Set(names)].sort() };
}

const UNTIL_THEN =
  "Use the same settings everywhere: until then, each thread follows the settings of the process that runs it.";

/** Empty if either process is of a release that does not share its settings. */
function differingNames({ given: own }: CommonSettings, { given: other }: CommonSettings): string[] {
  if (own === null || other === null) return [];
  return Object.keys({ ...own, ...other })
    .filter((name) => own[name] !== other[name])
    .sort();
}

function words(names: readonly string[], own: CommonSettings, other: CommonSettings): string {
  return names
    .map((name) => {
      const [here, there] = [own.given?.[name], other.given?.[name]];
      if (isHidden(here) && isHidden(there)) return name;
      return `${name} (${valueWords(here)} here, ${valueWords(there)} there)`;
    })
    .join(", ");
}

const isHidden = (value: string | undefined) => value?.startsWith("#") === true;

function valueWords(value: string | undefined): string {
  if (value === undefined) return "not set";
  return isHidden(value) ? "set" : value;
}

/** One line for each other process of another version. */
export function otherVersions(version: string, others: readonly ClusterMember[]): readonly string[] {
  return others
    .filter((other) => other.version !== version)
    .map((other) => {
      const there = `the process ${other.pid} on ${other.host}`;
      return `This is version ${version}, but ${there} runs version ${other.version}. Use the same version everywhere.`;
    });
}
