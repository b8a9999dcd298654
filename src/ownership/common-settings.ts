import { hash } from "node:crypto";
import type { Config } from "../config.ts";
import type { ClusterMember } from "../core/cluster.ts";
import { isObject } from "../core/text/from-json.ts";

/** Settings that are each process's own, or are compared in another way. */
const OWN: ReadonlySet<string> = new Set([
  "slack",
  "discord",
  "web",
  "database",
  "engine",
  "home",
  "sandbox",
  "configFile",
  "logLevel",
  "features",
  "warnings",
  "origin",
]);

/** What seals the keys that are stored: processes with another one could not open them. */
const SECRET_KEY = "DECKHAND_SECRET_KEY";

/** What processes must have in common, by what an operator knows it as: a session may go on in any of them. */
const REQUIRED: Readonly<Record<string, string>> = {
  slack: "Slack's token",
  discord: "Discord's token",
  [SECRET_KEY]: SECRET_KEY,
};

/** Characters of a digest: enough to tell settings apart, and nothing of a token. */
const DIGEST_CHARS = 12;

export type SettingDigests = ClusterMember["settings"];

/** A short digest of each setting that processes should have in common, by its name. */
export function settingDigests(config: Config): SettingDigests {
  const common = Object.entries(config).filter(([name]) => !OWN.has(name));
  const features = config.features.filter(({ open }) => open !== undefined).map(({ name }) => name);
  const compared = {
    ...Object.fromEntries(common),
    features,
    // Each may have a way of its own to a platform.
    slack: config.slack?.botToken ?? null,
    discord: config.discord?.token ?? null,
    [SECRET_KEY]: config.origin.layers.environment.value[SECRET_KEY] ?? null,
  };
  return Object.fromEntries(Object.entries(compared).map(([name, value]) => [name, digestOf(value)]));
}

function digestOf(value: unknown): string {
  const text = JSON.stringify(value, (_key, part: unknown) => (isObject(part) ? sorted(part) : part)) ?? "";
  return hash("sha256", text).slice(0, DIGEST_CHARS);
}

function sorted(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** How this process differs from those that run already, a line each. */
export interface SettingsComparison {
  /** It cannot run beside them. */
  readonly problems: readonly string[];
  /** It can, and what holds depends on which of them does the work. */
  readonly warnings: readonly string[];
}

interface Own {
  readonly version: string;
  readonly settings: SettingDigests;
}

export function compareSettings(own: Own, others: readonly ClusterMember[]): SettingsComparison {
  const problems: string[] = [];
  const warnings: string[] = [];
  for (const { host, pid, version, settings } of others) {
    const different = Object.keys(settings).filter(
      (name) => own.settings[name] !== undefined && own.settings[name] !== settings[name],
    );
    const required = different.flatMap((name) => REQUIRED[name] ?? []);
    const rest = different.filter((name) => REQUIRED[name] === undefined).sort();
    const there = `the process ${pid} on ${host}`;
    if (required.length > 0)
      problems.push(`${required.join(", and ")} must be that of ${there}, which runs on the same database.`);
    if (rest.length > 0)
      warnings.push(`Settings differ from those of ${there}: ${rest.join(", ")}. Give all the same.`);
    if (version !== own.version)
      warnings.push(`This is version ${own.version}, and ${there} is ${version}: bring all to the same one.`);
  }
  return { problems: [...new Set(problems)], warnings: [...new Set(warnings)] };
}
