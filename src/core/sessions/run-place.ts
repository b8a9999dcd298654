import { subAgent, WORKER } from "../agent/sub-agents.ts";
import type { BudgetSettings } from "../budget/limits.ts";
import type { ChildEvent } from "./child-event.ts";
import { placeFor } from "./job-event.ts";
import type { SessionPlace } from "./runner.ts";
import type { SessionEventBody } from "./session-event.ts";

/** The place of a session for the run that an event began: a job and a sub-agent bring rights of their own. */
export function placeOfRun(body: SessionEventBody, place: SessionPlace): SessionPlace {
  switch (body.kind) {
    case "child": {
      const { task, access, mode, tools, grantedTools, maxTurns } = body;
      const type = task.agent === WORKER ? null : place.config.agentDefinition;
      const agentDefinition = subAgent(type, { name: task.agent, access, maxTurns });
      return { ...place, config: { ...place.config, agentDefinition, mode, toolAllow: tools, grantedTools } };
    }
    case "child_end": {
      const { job } = body;
      if (job === null) return place;
      return { ...place, config: { ...place.config, mode: job.mode, grantedTools: job.tools } };
    }
    default:
      return placeFor(body, place);
  }
}

/** Nobody is there to answer the run's questions. */
export function isUnattended(body: SessionEventBody): boolean {
  return body.kind === "job" || ((body.kind === "child" || body.kind === "child_end") && body.nonInteractive);
}

/** The limits of an event's run. */
export function budgetsOfRun(body: SessionEventBody, budgets: BudgetSettings): BudgetSettings {
  const jobUsd = jobOf(body)?.budgetUsd ?? null;
  return jobUsd === null ? budgets : { ...budgets, jobUsd };
}

/** The rights of the job that a run goes back to; null for a person's. */
export function jobOf(body: SessionEventBody): ChildEvent["job"] {
  switch (body.kind) {
    case "job":
      return { mode: body.mode, tools: body.tools, budgetUsd: body.budgetUsd };
    case "child":
    case "child_end":
      return body.job;
    default:
      return null;
  }
}
