import type { TokenMeter } from "../context/token-estimate.ts";
import type { Log } from "../protocol/log.ts";
import type { Plan } from "../protocol/plan.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { ProviderRegistry, SystemPart } from "../providers/provider.ts";
import type { RunContext, Tool } from "../tool.ts";
import type { Sink } from "../trust/egress.ts";
import type { ApprovalService } from "./approval-service.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunState } from "./run-state.ts";

/** Everything that one run of the query loop works with. */
export interface Query extends RunContext {
  /** Who has asked, by name; for the log. */
  readonly person: string;
  readonly registry: ProviderRegistry;
  /** Every tool there is; what the model is offered is role ∩ mode of it. */
  readonly tools: readonly Tool[];
  /** Why a tool is not there for the moment; null for one that never was. */
  readonly whyMissing: (name: string) => string | null;
  /** The tools once it is known, for a while at most, whether there are these among them. */
  readonly awaitTools: (names: readonly string[]) => Promise<readonly Tool[]>;
  readonly system: readonly SystemPart[];
  readonly journal: RunJournal;
  /** Told of the run once it is read: its state is the newest one at any time. */
  readonly opened: (run: { readonly state: RunState }) => void;
  /** Where people are asked. */
  readonly approvals: ApprovalService;
  /** Estimates tokens; shared by all runs of the process. */
  readonly meter: TokenMeter;
  readonly runtime: Runtime;
  readonly log: Log;
  /** Hosts that data may go to. */
  readonly sinks: readonly Sink[];
  /** The session's plan as it stands now. */
  plan(): Promise<Plan | null>;
  /** Stable per channel: routes requests with equal prefixes to the same provider cache. */
  readonly cacheKey: string;
}
