import { existsSync } from "node:fs";
import type { PageAgents } from "../../agents.ts";
import { type ChannelConfigs, createChannelConfigs } from "../../channel-config.ts";
import type { Config } from "../../config/resolve.ts";
import type { DefinitionTexts } from "../../core/agents/page-definitions.ts";
import { DEMO_MODEL } from "../../core/providers/catalog.ts";
import { jobsFileOf } from "../../home.ts";
import type { Finding } from "./finding.ts";

/**
 * What a start would make of the file of jobs, changing nothing; null where there is none. `skills`: what the page has set.
 * Problems are lines.
 */
export type LookAtJobs = (
  config: Config,
  channelConfigs: ChannelConfigs,
  skills: DefinitionTexts,
) => Promise<{ readonly jobs: number; readonly problems: readonly string[] } | null>;

interface JobChecks {
  readonly lookAtJobs: LookAtJobs;
  readonly pageAgents: PageAgents;
  readonly pageSkills: DefinitionTexts;
}

/** Entries of the file of jobs that a start would leave out; nothing where there is no such file. */
export async function checkJobs(config: Config, { lookAtJobs, pageAgents, pageSkills }: JobChecks): Promise<Finding[]> {
  const file = jobsFileOf(config);
  if (!existsSync(file)) return [];
  const channelConfigs = createChannelConfigs(config, () => DEMO_MODEL, pageAgents);
  const found = await lookAtJobs(config, channelConfigs, pageSkills);
  if (found === null) return [];
  if (found.problems.length > 0) return found.problems.map((text) => ({ ok: false, text }));
  return [{ ok: true, text: `${file}: ${found.jobs} ${found.jobs === 1 ? "job" : "jobs"}` }];
}
