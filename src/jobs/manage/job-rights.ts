import type { JobRequest } from "../../core/jobs/job-control.ts";
import { isAdmin, isNamed } from "../../core/permissions/access.ts";
import { channelKeyOf, type ThreadRef } from "../../core/platform/thread.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import { explain } from "../../core/protocol/explain.ts";
import type { JobRow, JobSettings } from "../../core/store/jobs.ts";
import { UNKNOWN_CHANNEL } from "../scheduling/job-input.ts";
import type { JobScope } from "../scheduling/job-scope.ts";

type Person = JobRequest["person"];

/** Who may do what with which job. Refusals are sentences. */
export interface JobRights {
  isAdmin(person: Person): boolean;
  /** Whether they see its name, times and history: in its channel everybody, elsewhere its owner and admins. */
  maySee(job: JobRow, request: JobRequest): boolean;
  /** Whether they may read its prompt and reports: in a private channel only members, not if others read along. */
  mayRead(job: JobRow, request: JobRequest): Promise<boolean>;
  /** Why the person may not run, pause or remove it; null if they may. */
  manageRefusal(job: JobRow, person: Person): string | null;
  /** Why the person may not change it, which requires reading it; null if they may. */
  editRefusal(job: JobRow, request: JobRequest): Promise<string | null>;
  /** Why the person may not grant a job rights without approval; null if they may. */
  grantRefusal(settings: JobSettings, person: Person): string | null;
  /** Why the person may not post reports to another channel; null if both they and the bot may. */
  channelRefusal(channel: ThreadRef, request: JobRequest): Promise<string | null>;
}

export function createJobRights({
  access,
  approvals,
  membershipOf,
  log,
}: Pick<JobScope, "access" | "approvals" | "membershipOf" | "log">): JobRights {
  const rights: JobRights = {
    isAdmin: (person) => isAdmin(person, access),
    maySee(job, { person, thread }) {
      const isSameWorkspace = job.thread.platform === thread.platform && job.thread.workspaceId === thread.workspaceId;
      return isIn(job, thread) || (isSameWorkspace && (job.ownerId === person.id || isAdmin(person, access)));
    },
    async mayRead(job, { person, thread, isShared = false }) {
      if (isIn(job, thread)) return true;
      try {
        const membership = await membershipOf(job.thread, person.id);
        return membership !== null && (!membership.isPrivate || (membership.isMember && !isShared));
      } catch (error) {
        log.warn({ err: toAppError(error), jobId: job.id }, "job_channel_unknown");
        return false;
      }
    },
    manageRefusal(job, person) {
      if (job.ownerId === person.id || isAdmin(person, access)) return null;
      return `**${job.name}** is ${job.ownerName === "" ? "the operator's" : `@${job.ownerName}'s`}: only they and admins can do that.`;
    },
    async editRefusal(job, request) {
      const refusal = rights.manageRefusal(job, request.person) ?? fileRefusal(job);
      if (refusal !== null || (await rights.mayRead(job, request))) return refusal;
      return `**${job.name}** belongs to a private channel you are not in: you can run, pause and remove it, but not change it.`;
    },
    /** A job asks nobody while it runs, so whoever grants it more than reading must be allowed to decide approvals. */
    grantRefusal({ mode, tools }, person) {
      const trusted = [...access.admins, ...approvals.approvers];
      const mayGrant = trusted.length === 0 ? approvals.requester : isNamed(person, trusted);
      // Includes changes of the prompt, which would use what was granted for another.
      const isMore = mode === "agi" || tools.length > 0;
      if (!isMore || mayGrant) return null;
      return "Only admins and approvers can give a job tools or the mode `agi`, or change a job that has them, because nobody is asked while it runs.";
    },
    async channelRefusal(channel, { person, thread }) {
      if (channel.channelId === thread.channelId && channel.platform === thread.platform) return null;
      try {
        const membership = await membershipOf(channel, person.id);
        if (membership === null || (membership.isPrivate && !membership.isMember)) return UNKNOWN_CHANNEL;
        if (!membership.isMember)
          return "You are not in that channel. Only its members can have something posted there.";
        return membership.canPost ? null : "I can't post in that channel. Invite me there first.";
      } catch (error) {
        return explain(toAppError(error));
      }
    },
  };
  return rights;
}

export function fileRefusal({ source, name }: JobRow): string | null {
  return source === "file" ? `**${name}** is defined in the jobs file; change it there.` : null;
}

export function isIn(job: JobRow, thread: ThreadRef): boolean {
  return job.channelId === channelKeyOf(thread);
}
