import type { PageAgents } from "../../agents.ts";
import type { Config } from "../../config/resolve.ts";
import { type ConfigSources, loadConfig } from "../../config.ts";
import type { DefinitionTexts } from "../../core/agents/page-definitions.ts";
import { ConfigError } from "../../core/protocol/errors.ts";
import { embeddersOf } from "../../core/providers/registry/embedder.ts";
import type { CheckWorld, Feature } from "../../feature.ts";
import type { OfflineHost } from "../../feature-host.ts";
import { closedIn } from "../../home.ts";
import { createLogger } from "../../operations/logging.ts";
import { useProxy } from "../../operations/proxy.ts";
import { checkReplicas } from "../../ownership/check-replicas.ts";
import { systemRuntime } from "../../runtime.ts";
import type { Terminal } from "../terminal.ts";
import { checkKeys } from "./check-keys.ts";
import { checkKnownModels, checkModels, ineffectiveSettingsIn } from "./check-models.ts";
import { checkProxy } from "./check-proxy.ts";
import {
  checkAgents,
  checkComponents,
  checkConfinement,
  checkDatabase,
  checkDirectories,
  checkNode,
  checkPlatforms,
  checkPorts,
  checkSkills,
  checkWritable,
  type IsRunning,
} from "./checks.ts";
import { bad, type Finding, good, warned } from "./finding.ts";

/** The settings as they would be in effect after a start. */
export interface StoredSettings {
  readonly config: Config;
  readonly pageAgents: PageAgents;
  readonly pageSkills: DefinitionTexts;
  /** Stored settings that cannot be used. */
  readonly problems: readonly string[];
}

/** Lists all features. Loaded on demand, since help alone does not need them. */
export type ListFeatures = () => Promise<readonly Feature[]>;

export interface DoctorOptions {
  /** The project's directory. */
  readonly root: string;
  readonly sources: ConfigSources;
  readonly terminal: Terminal;
  readonly withStored: (config: Config) => Promise<StoredSettings>;
  /** Uses the database; null if there is none of this version yet. */
  readonly onCurrentStore: <T>(config: Config, use: (host: OfflineHost | null) => Promise<T>) => Promise<T>;
  readonly isRunning: IsRunning;
  readonly features: ListFeatures;
  readonly version: string;
  /** Tests the key of each provider that has one. */
  readonly online: boolean;
}

/** Checks everything that a start needs, changes nothing, and prints one line per finding. */
export async function doctor({ root, sources, terminal, features, ...looks }: DoctorOptions): Promise<void> {
  const findings = [checkNode(process.versions.node), checkComponents(root)];
  const given = tryLoad(sources, await features());
  const warnings: string[] = [];
  if (given instanceof ConfigError) {
    findings.push(...given.problems.map(bad));
  } else {
    findings.push(good(`configuration${given.configFile === null ? "" : ` ${given.configFile}`}`));
    const leaveProxy = useProxy(given.proxy);
    const stored = await looks.withStored(given);
    const { config } = stored;
    findings.push(...(await checkConfigured(config, { ...looks, ...stored })));
    warnings.push(...config.warnings, ...ineffectiveSettingsIn(config));
    await leaveProxy();
  }
  // Different checks may find the same problem.
  const lines = new Map(findings.map((finding) => [finding.text, finding]));
  for (const { ok, isWarning, text } of lines.values()) terminal.out(`${isWarning ? "⚠" : ok ? "✓" : "✗"} ${text}`);
  for (const warning of warnings) if (!lines.has(warning)) terminal.out(`⚠ ${warning}`);
  if (findings.some(({ ok }) => !ok)) terminal.fail();
}

interface Checks
  extends Pick<DoctorOptions, "isRunning" | "version" | "online" | "onCurrentStore">,
    Pick<StoredSettings, "pageAgents" | "pageSkills" | "problems"> {}

async function checkConfigured(config: Config, checks: Checks): Promise<Finding[]> {
  const { isRunning, pageAgents, pageSkills, problems, online } = checks;
  return [
    checkWritable("DECKHAND_HOME", config.home),
    checkWritable("DECKHAND_SANDBOX", config.sandbox),
    ...(await closedIn(config.home)).map(bad),
    ...(await checkDatabase(config)),
    ...(await checkReplicas(config)),
    ...checkDirectories(config),
    ...(await checkConfinement(config)),
    ...(await checkProxy(config)),
    ...checkPlatforms(config),
    ...problems.map(warned),
    ...checkModels(config),
    ...(await (online ? checkKeys(config) : checkKnownModels(config))),
    ...checkAgents(config, pageAgents),
    ...(await checkSkills(config, pageSkills)),
    ...(await checkFeatures(config, checks)),
    ...(await checkPorts(config, isRunning)),
  ];
}

async function checkFeatures(config: Config, checks: Checks): Promise<Finding[]> {
  const { features, providers, home } = config;
  const runtime = systemRuntime();
  const createEmbedder = embeddersOf(providers, runtime);
  const declaredJobs = async () => (await import("../../open-toolbox.ts")).declaredJobReader(config, checks);
  const { version } = checks;
  const onStore: CheckWorld["onStore"] = (use) => checks.onCurrentStore(config, use);
  const world = { runtime, log: createLogger("silent", []), version, home, createEmbedder, declaredJobs, onStore };
  const found = await Promise.all(features.map(async (feature) => (await feature.check?.(world)) ?? []));
  return found.flat();
}

function tryLoad(sources: ConfigSources, features: readonly Feature[]): Config | ConfigError {
  try {
    return loadConfig(sources, features);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
