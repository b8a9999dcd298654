import type { ChatCommand } from "../command-line/command.ts";
import { agentCommand } from "./agent.ts";
import { approvalsCommand } from "./approvals.ts";
import { compactCommand } from "./compact.ts";
import { exportCommand } from "./export.ts";
import { forkCommand } from "./fork.ts";
import { helpCommand } from "./help.ts";
import { jobsCommand } from "./jobs.ts";
import { modeCommand } from "./mode.ts";
import { modelCommand } from "./model.ts";
import { newCommand } from "./new.ts";
import { skillCommand } from "./skill.ts";
import { statusCommand } from "./status.ts";
import { stopCommand } from "./stop.ts";
import { toolsCommand } from "./tools.ts";
import { undoCommand } from "./undo.ts";

/**
 * Every command of the core, in the order of `/help`; those of features follow. Slack's manifest, Discord's
 * registration, commands typed after a mention and `/help` all derive from this list.
 */
export const CHAT_COMMANDS: readonly ChatCommand[] = [
  helpCommand,
  statusCommand,
  stopCommand,
  agentCommand,
  modelCommand,
  modeCommand,
  skillCommand,
  undoCommand,
  approvalsCommand,
  compactCommand,
  newCommand,
  forkCommand,
  jobsCommand,
  toolsCommand,
  exportCommand,
];
