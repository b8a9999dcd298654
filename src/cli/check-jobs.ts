import { existsSync } from "node:fs";
import type { PageAgents } from "../agents.ts";
import { type ChannelConfigs, createChannelConfigs } from "../channel-config.ts";
import type { Config } from "../config/resolve.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import { DEMO_MODEL } from "../core/providers/catalog.ts";
import { jobsFileOf } from "../home.ts";
import type { Finding } from "./checks.ts";

/** What a start would make of the file of jobs, changing nothing; null where there is none. Problems are lines. */
export type LookAtJobs = (
  config: Config,
  channelConfigs: ChannelConfigs,
) => Promise<{ readonly jobs: number; readonly problems: readonly string[] } | null>;

interface JobChecks {
  readonly lookAtJobs: LookAtJobs;
  readonly pageAgents: PageAgents;
}

/** Entries of the file of jobs that a start would leave out; nothing where there is no such file. */
export async function checkJobs(config: Config, { lookAtJobs, pageAgents }: JobChecks): Promise<Finding[]> {
  const file = jobsFileOf(config);
  const channelConfigs = existsSync(file) ? channelConfigsOf(config, pageAgents) : null;
  const found = channelConfigs === null ? null : await lookAtJobs(config, channelConfigs);
  if (found === null) return [];
  if (found.problems.length > 0) return found.problems.map((text) => ({ ok: false, text }));
  return [{ ok: true, text: `${file}: ${found.jobs} ${found.jobs === 1 ? "job" : "jobs"}` }];
}

/** Null where agents are missing, which is a finding of its own. */
function channelConfigsOf(config: Config, page: PageAgents): ChannelConfigs | null {
  try {
    return createChannelConfigs(config, () => DEMO_MODEL, page);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}
