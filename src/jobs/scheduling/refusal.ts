import { type AccessRules, accessRefusal } from "../../core/permissions/access.ts";
import type { JobRow } from "../../core/store/jobs.ts";
import type { JobScope, Refusal } from "./job-scope.ts";
import { skillProblem } from "./job-skill.ts";

type Scope = Pick<JobScope, "access" | "memberOf" | "agents" | "skillsOf">;

/** Decides whether a job may run: its owner must have access, and its agent and skill must exist. */
export function createRefusals(scope: Scope): JobScope["refusalOf"] {
  return async (job) => {
    const lost = await lostOwner(job, scope);
    if (lost !== null) return { isOwners: true, reason: `${lost}, so nothing runs in their name. ${heir(job.source)}` };
    const { agent, skill, thread } = job;
    if (agent !== null && !scope.agents().has(agent)) return missing(`The agent \`${agent}\` no longer exists.`);
    const problem = skill === null ? null : skillProblem(skill, scope.skillsOf(thread));
    if (problem === null) return null;
    return missing(problem.type === "unknown" ? `The skill \`${problem.name}\` no longer exists.` : problem.reason);
  };
}

function missing(reason: string): Refusal {
  return { isOwners: false, reason };
}

function heir(source: JobRow["source"]): string {
  return source === "file"
    ? "An operator can name another owner in the jobs file."
    : "An admin can take it over with `/jobs enable`.";
}

type Owned = Pick<JobRow, "ownerId" | "ownerName" | "thread">;

/** Why the owner may no longer use the bot, in words; null if they may. */
async function lostOwner({ ownerId, ownerName, thread }: Owned, { access, memberOf }: Scope): Promise<string | null> {
  const setting = lostAccess(ownerId, access);
  if (setting !== null) return `@${ownerName} can no longer use me (\`${setting}\`)`;
  // The scheduler checked the owner before the due time; a failed lookup must not end what has begun since.
  const member = await memberOf(thread, ownerId).catch(() => undefined);
  if (member === undefined) return null;
  if (member === null) return `@${ownerName} has left`;
  if (accessRefusal(member, access) === null) return null;
  return member.isGuest
    ? `@${ownerName} is now a guest and can't use me (\`access.guests\`)`
    : `@${ownerName} can no longer use me`;
}

/** The setting that excludes the owner. If roles are listed, the platform has to be asked for the owner's roles. */
function lostAccess(ownerId: string, { admins, allow, deny }: AccessRules): string | null {
  if (deny.includes(ownerId)) return "access.deny";
  if (allow === undefined || admins.includes(ownerId) || allow.includes(ownerId) || !ownerId.includes(":")) return null;
  return [...allow, ...admins].some((entry) => entry.includes(":role:")) ? null : "access.allow";
}
