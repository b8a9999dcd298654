import { existsSync } from "node:fs";
import path from "node:path";
import type { Feature } from "../../feature.ts";

/**
 * Jobs in a file, for people who keep them in git: a JSON array of objects whose fields are the flags of `/jobs add`,
 * with `channel` written `slack:T1/C1` (platform, workspace, channel). The file is authoritative: changed jobs are
 * updated, missing ones removed. A bad entry does not affect the others.
 */
export const jobsFileFeature: Feature = {
  name: "jobs-file",
  settings: {},
  configure: () => ({
    problems: [],
    check: async ({ home, declaredJobs }) => {
      const file = fileIn(home);
      if (!existsSync(file)) return [];
      const { checkJobsFile } = await import("./jobs-file.ts");
      return checkJobsFile(file, await declaredJobs());
    },
    open: async (host) => {
      const { createJobsFile } = await import("./jobs-file.ts");
      return { readJobs: createJobsFile({ ...host, file: fileIn(host.home) }) };
    },
  }),
};

function fileIn(home: string): string {
  return path.join(home, "jobs.json");
}
