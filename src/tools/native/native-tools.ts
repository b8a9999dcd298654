import type { SessionEngine } from "../../core/engine/engine.ts";
import type { Tool } from "../../core/tool.ts";
import { type AgentDeps, createAgent } from "./agent.ts";
import { createAgentOutput } from "./agent-output.ts";
import { type AskDeps } from "./ask.ts";
import { createAskUserQuestion } from "./ask-user-question.ts";
import { createAttach } from "./attach.ts";
import { createBrief } from "./brief.ts";
import { createEnterPlanMode, createExitPlanMode } from "./plan-mode.ts";
import { createReadThread } from "./read-thread.ts";
import { createSleep } from "./sleep.ts";
import { createToolSearch } from "./tool-search.ts";
import { createUpdatePlan } from "./update-plan.ts";
import { createUseTool } from "./use-tool.ts";

export interface NativeToolDeps extends AskDeps, AgentDeps {
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt" | "cancel">;
}

/** The tools that work with the conversation itself. */
export function createNativeTools(deps: NativeToolDeps): readonly Tool[] {
  return [
    createAskUserQuestion(deps),
    createBrief(),
    createEnterPlanMode(deps),
    createExitPlanMode(deps),
    createUpdatePlan(deps),
    createSleep(deps),
    createToolSearch(deps.catalogue),
    createUseTool(),
    createReadThread(),
    createAttach(),
    createAgent(deps),
    createAgentOutput(deps),
  ];
}
