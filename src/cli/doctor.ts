import type { Config } from "../config/resolve.ts";
import { type ConfigSources, loadConfig } from "../config.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import { checkJobs, type LookAtJobs } from "./check-jobs.ts";
import { checkKnownModels, unheededIn } from "./check-models.ts";
import { checkServers, type LookAtServers } from "./check-servers.ts";
import {
  checkAgents,
  checkComponents,
  checkDatabase,
  checkDirectories,
  checkModels,
  checkNode,
  checkPlatforms,
  checkPort,
  checkWritable,
  type Finding,
} from "./checks.ts";
import type { Terminal } from "./terminal.ts";

export interface DoctorOptions {
  readonly root: string;
  readonly sources: ConfigSources;
  readonly terminal: Terminal;
  readonly lookAtJobs: LookAtJobs;
  readonly lookAtServers: LookAtServers;
}

/** Looks at everything a start needs, changes nothing, and says one line about each. */
export async function doctor({ root, sources, terminal, ...looks }: DoctorOptions): Promise<void> {
  const findings = [checkNode(process.versions.node), checkComponents(root)];
  const config = tryLoad(sources);
  if (config instanceof ConfigError) {
    findings.push(...config.problems.map((text) => ({ ok: false, text })));
  } else {
    findings.push({ ok: true, text: `configuration${config.configFile === null ? "" : ` ${config.configFile}`}` });
    findings.push(...(await checkConfigured(config, looks)));
  }
  for (const { ok, isWarning, text } of findings) terminal.out(`${isWarning ? "⚠" : ok ? "✓" : "✗"} ${text}`);
  if (!(config instanceof ConfigError))
    for (const warning of [...config.warnings, ...unheededIn(config)]) terminal.out(`⚠ ${warning}`);
  if (findings.some(({ ok }) => !ok)) terminal.fail();
}

type Looks = Pick<DoctorOptions, "lookAtJobs" | "lookAtServers">;

async function checkConfigured(config: Config, { lookAtJobs, lookAtServers }: Looks): Promise<Finding[]> {
  const { web, slack } = config;
  return [
    checkWritable("DECKHAND_HOME", config.home),
    checkWritable("DECKHAND_SANDBOX", config.sandbox),
    ...(await checkDatabase(config)),
    ...checkDirectories(config),
    ...checkPlatforms(config),
    ...checkModels(config),
    ...(await checkKnownModels(config)),
    ...checkAgents(config),
    ...(await checkJobs(config, lookAtJobs)),
    ...(await checkServers(config, lookAtServers)),
    await checkPort("PORT", web.host, web.port),
    ...(slack?.mode.type === "http" ? [await checkPort("SLACK_HTTP_PORT", slack.mode.host, slack.mode.port)] : []),
  ];
}

function tryLoad(sources: ConfigSources): Config | ConfigError {
  try {
    return loadConfig(sources);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
}
