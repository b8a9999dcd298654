import type { SkillCatalogue } from "../core/context/skills.ts";
import type { AccessRules } from "../core/permissions/access.ts";
import type { ThreadRef } from "../core/protocol/platform.ts";
import type { JobRow } from "../core/store/jobs.ts";
import { skillProblem } from "./job-skill.ts";

/** What a job needs to be there when it is due. */
export interface JobNeeds {
  readonly access: Pick<AccessRules, "admins" | "allow" | "deny">;
  readonly agents: () => ReadonlySet<string>;
  /** The skills that hold in a thread. */
  readonly skillsOf: (thread: ThreadRef) => SkillCatalogue;
}

/** Why a job must not run, as people read it; null when it may. */
export type RefusalOf = (job: Pick<JobRow, "ownerId" | "ownerName" | "agent" | "skill" | "thread">) => string | null;

/** A job runs in its owner's name, with the agent and the skill that it names: without them it does not run at all. */
export function createRefusals({ access, agents, skillsOf }: JobNeeds): RefusalOf {
  return ({ ownerId, ownerName, agent, skill, thread }) => {
    const setting = lostAccess(ownerId, access);
    if (setting !== null)
      return `@${ownerName} may not use me any more (\`${setting}\`), so nothing runs in their name.`;
    if (agent !== null && !agents().has(agent)) return `There is no agent \`${agent}\` any more.`;
    const problem = skill === null ? null : skillProblem(skill, skillsOf(thread));
    if (problem === null) return null;
    return problem.type === "unknown" ? `There is no skill \`${problem.name}\` any more.` : problem.reason;
  };
}

/** The setting that keeps the owner out. A list with roles may let them in by one, and who has which is not known here. */
function lostAccess(ownerId: string, { admins, allow, deny }: JobNeeds["access"]): string | null {
  if (deny.includes(ownerId)) return "access.deny";
  if (allow === undefined || admins.includes(ownerId) || allow.includes(ownerId) || !ownerId.includes(":")) return null;
  return [...allow, ...admins].some((entry) => entry.includes(":role:")) ? null : "access.allow";
}
