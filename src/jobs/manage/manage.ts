import type { JobControl } from "../../core/jobs/job-control.ts";
import { createDeclaredJobs } from "../scheduling/declared-jobs.ts";
import type { JobScope } from "../scheduling/job-scope.ts";
import { refusedAnswer } from "./job-answers.ts";
import { JobChanges } from "./job-changes.ts";
import { createJobFinder } from "./job-finder.ts";
import { JobQueries } from "./job-queries.ts";
import { createJobRights } from "./job-rights.ts";

/** Managing jobs, for commands, buttons and tools alike. */
export function createJobControl(options: JobScope): JobControl {
  const rights = createJobRights(options);
  const finder = createJobFinder(options.store, rights);
  const queries = new JobQueries(options, rights, finder);
  const changes = new JobChanges(options, rights, finder);
  return {
    preview: (input, request) => changes.preview(input, request),
    add: (input, request) => changes.add(input, request),
    edit: (name, input, request) => changes.edit(name, input, request),
    form: (name, request) => queries.form(name, request),
    view: (name, request) => queries.view(name, request),
    list: (request) => queries.list(request),
    overview: (request) => queries.overview(request),
    declared: createDeclaredJobs(options),
    overviewOf: (jobs) => queries.overviewOf(jobs),
    async act(action, name, request) {
      const found = await finder.found(name, request);
      if ("reason" in found) return refusedAnswer(found.reason);
      const { job } = found;
      if (action === "show") return queries.show(job, request);
      return action === "logs" ? queries.logs(job, request) : changes.act(action, job, request);
    },
  };
}
