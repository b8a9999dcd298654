import type { AgentDefinition } from "../../core/agents/query-config.ts";
import type { ModelChoice } from "../../core/budget/model-choice.ts";
import type { SessionEngine } from "../../core/engine/engine.ts";
import type { ApprovalRules } from "../../core/permissions/deciders.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import type { Store } from "../../core/store/store.ts";
import type { Tool } from "../../core/tool.ts";
import type { OwnFiles } from "../own-files.ts";

/** Dependencies of the tools that run in the program itself; each picks its own. */
export interface NativeToolDeps {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt" | "cancel">;
  readonly clock: Clock;
  readonly log: Log;
  readonly approvals: ApprovalRules;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly models: Pick<ModelChoice, "problemWith">;
  /** All tools that exist at this moment. */
  readonly catalogue: () => readonly Tool[];
  readonly ownFiles: () => OwnFiles;
}
