import type { Tool } from "../../core/tool.ts";
import { agentTool } from "./agent.ts";
import { createAgentOutput } from "./agent-output.ts";
import { createAskUserQuestion } from "./ask-user-question.ts";
import { createAttach } from "./attach.ts";
import { createBrief } from "./brief.ts";
import type { NativeToolDeps } from "./native-tool-deps.ts";
import { createEnterPlanMode, createExitPlanMode } from "./plan-mode.ts";
import { createSleep } from "./sleep.ts";
import { createToolSearch } from "./tool-search.ts";
import { createUpdatePlan } from "./update-plan.ts";
import { createUseTool } from "./use-tool.ts";

/** Returns a function that lists the tools that work on the conversation itself, as of now. */
export function createNativeTools(deps: NativeToolDeps): () => readonly Tool[] {
  const agent = agentTool(deps);
  const before = [
    createAskUserQuestion(deps),
    createBrief(),
    createEnterPlanMode(deps),
    createExitPlanMode(deps),
    createUpdatePlan(deps),
    createSleep(deps),
    createToolSearch(deps.catalogue),
    createUseTool(),
    createAttach(),
  ];
  const output = createAgentOutput(deps);
  return () => [...before, agent(), output];
}
