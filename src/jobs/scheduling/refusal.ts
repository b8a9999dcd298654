import { type AccessRules, accessRefusal } from "../../core/permissions/access.ts";
import type { MemberOf } from "../../core/permissions/members.ts";
import type { ThreadRef } from "../../core/protocol/platform.ts";
import type { SkillCatalogue } from "../../core/skills/skills.ts";
import type { JobRow } from "../../core/store/jobs.ts";
import { skillProblem } from "./job-skill.ts";

interface Needs {
  readonly access: AccessRules;
  readonly memberOf: MemberOf;
  readonly agents: () => ReadonlySet<string>;
  readonly skillsOf: (thread: ThreadRef) => SkillCatalogue;
}

export interface Refusal {
  /** The owner is what stands against it: the job may be another's. */
  readonly isOwners: boolean;
  /** As people read it. */
  readonly reason: string;
}

/** Why a job must not run; null when it may. */
export type RefusalOf = (
  job: Pick<JobRow, "ownerId" | "ownerName" | "agent" | "skill" | "source" | "thread">,
) => Promise<Refusal | null>;

/** A job runs in its owner's name, with the agent and the skill that it names: without them it does not run at all. */
export function createRefusals(needs: Needs): RefusalOf {
  return async (job) => {
    const lost = await lostOwner(job, needs);
    if (lost !== null) return { isOwners: true, reason: `${lost}, so nothing runs in their name. ${heir(job.source)}` };
    const { agent, skill, thread } = job;
    if (agent !== null && !needs.agents().has(agent)) return missing(`There is no agent \`${agent}\` any more.`);
    const problem = skill === null ? null : skillProblem(skill, needs.skillsOf(thread));
    if (problem === null) return null;
    return missing(problem.type === "unknown" ? `There is no skill \`${problem.name}\` any more.` : problem.reason);
  };
}

function missing(reason: string): Refusal {
  return { isOwners: false, reason };
}

function heir(source: JobRow["source"]): string {
  return source === "file"
    ? "An operator can name another owner in the file of jobs."
    : "An admin takes it over with `/jobs enable`.";
}

type Owned = Pick<JobRow, "ownerId" | "ownerName" | "thread">;

/** What has become of the owner, in words; null where they may still use Deckhand. */
async function lostOwner({ ownerId, ownerName, thread }: Owned, needs: Needs): Promise<string | null> {
  const setting = lostAccess(ownerId, needs.access);
  if (setting !== null) return `@${ownerName} may not use me any more (\`${setting}\`)`;
  // Before anything is due the scheduler has asked; what has begun since then is not ended by an outage.
  const member = await needs.memberOf(thread, ownerId).catch(() => undefined);
  if (member === undefined) return null;
  if (member === null) return `@${ownerName} has left`;
  if (accessRefusal(member, needs.access) === null) return null;
  return member.isGuest
    ? `@${ownerName} is a guest by now and may not use me (\`access.guests\`)`
    : `@${ownerName} may not use me any more`;
}

/** The setting that keeps the owner out. A list with roles may let them in by one: then the platform is asked which they have. */
function lostAccess(ownerId: string, { admins, allow, deny }: AccessRules): string | null {
  if (deny.includes(ownerId)) return "access.deny";
  if (allow === undefined || admins.includes(ownerId) || allow.includes(ownerId) || !ownerId.includes(":")) return null;
  return [...allow, ...admins].some((entry) => entry.includes(":role:")) ? null : "access.allow";
}
