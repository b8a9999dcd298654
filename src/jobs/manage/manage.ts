import type { JobControl } from "../../core/jobs/job-control.ts";
import { refused } from "./answers.ts";
import { JobChanges, type JobChangesOptions } from "./job-changes.ts";
import { createJobFinder } from "./job-finder.ts";
import { JobLooks, type JobLooksOptions } from "./job-queries.ts";
import { createJobRights, type JobRightsOptions } from "./job-rights.ts";

export interface JobControlOptions extends JobRightsOptions, JobChangesOptions, JobLooksOptions {}

/** Managing jobs, for commands, buttons and tools alike. */
export function createJobControl(options: JobControlOptions): JobControl {
  const rights = createJobRights(options);
  const finder = createJobFinder(options.store, rights);
  const looks = new JobLooks(options, rights, finder);
  const changes = new JobChanges(options, rights, finder);
  return {
    preview: (draft, request) => changes.preview(draft, request),
    add: (draft, request) => changes.add(draft, request),
    edit: (name, draft, request) => changes.edit(name, draft, request),
    form: (name, request) => looks.form(name, request),
    view: (name, request) => looks.view(name, request),
    list: (request) => looks.list(request),
    overview: (request) => looks.overview(request),
    async act(action, name, request) {
      const found = await finder.found(name, request);
      if ("reason" in found) return refused(found.reason);
      const { job } = found;
      if (action === "show") return looks.show(job, request);
      return action === "logs" ? looks.logs(job, request) : changes.act(action, job, request);
    },
  };
}
