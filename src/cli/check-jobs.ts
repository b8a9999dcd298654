import { existsSync } from "node:fs";
import type { Config } from "../config/resolve.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import { DEMO_MODEL } from "../core/providers/catalog.ts";
import { jobsFileOf } from "../home.ts";
import { createPlaces, type Places } from "../places.ts";
import type { Finding } from "./checks.ts";

/** What a start would make of the file of jobs, changing nothing; null where there is none. Problems are lines. */
export type LookAtJobs = (
  config: Config,
  places: Places,
) => Promise<{ readonly jobs: number; readonly problems: readonly string[] } | null>;

/** Entries of the file of jobs that a start would leave out; nothing where there is no such file. */
export async function checkJobs(config: Config, lookAtJobs: LookAtJobs): Promise<Finding[]> {
  const file = jobsFileOf(config);
  const places = existsSync(file) ? placesOf(config) : null;
  const found = places === null ? null : await lookAtJobs(config, places);
  if (found === null) return [];
  if (found.problems.length > 0) return found.problems.map((text) => ({ ok: false, text }));
  return [{ ok: true, text: `${file}: ${found.jobs} ${found.jobs === 1 ? "job" : "jobs"}` }];
}

/** Null where agents are missing, which is a finding of its own. */
function placesOf(config: Config): Places | null {
  try {
    return createPlaces(config, DEMO_MODEL);
  } catch (error) {
    if (error instanceof ConfigError) return null;
    throw error;
  }
}
