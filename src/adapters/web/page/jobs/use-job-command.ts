import type { CommandOutcome } from "../../sessions/team-jobs.ts";
import { type Commands, useCommand } from "../section/use-command.ts";
import type { PageState } from "../state/state.ts";
import type { JobVerb } from "./job-parts.tsx";

/** The job that a command acts on, or the channel of a new one. */
export type JobTarget =
  | { readonly verb: JobVerb; readonly jobId: string }
  | { readonly verb: "add"; readonly channelId: string };

export type JobCommands = Commands<JobTarget>;

/** Runs job commands that are otherwise typed in the job's channel. */
export function useJobCommand(state: PageState, done: (target: JobTarget) => void): JobCommands {
  return useCommand(state, {
    path: "/features/console/jobs/command",
    bodyOf: (target, outcome) => ({ target, ...(outcome === null ? {} : { version: versionIn(outcome) }) }),
    done,
  });
}

/** How the job stood when its form was made: `edit job_1@1a2b3c4d`. */
function versionIn({ form }: CommandOutcome): string | undefined {
  return form?.line.split("@")[1];
}
