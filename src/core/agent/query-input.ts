import type { TokenMeter } from "../context/token-estimate.ts";
import type { Log } from "../protocol/log.ts";
import type { Plan } from "../protocol/plan.ts";
import type { Runtime } from "../protocol/runtime.ts";
import type { ProviderRegistry, SystemPart } from "../providers/provider.ts";
import type { RunContext, Tool } from "../tool.ts";
import type { Sink } from "../trust/egress.ts";
import type { ApprovalService } from "./approval-service.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunJournal } from "./run-journal.ts";
import type { RunState } from "./run-state.ts";

/** Everything that one run of the query loop works with. */
export interface Query extends RunContext {
  /** Name of the person who asked, for the log. */
  readonly person: string;
  readonly registry: ProviderRegistry;
  /** Every available tool. The model is offered those that its role and mode allow. */
  readonly tools: readonly Tool[];
  /** Why a tool is temporarily unavailable; null if no such tool was ever known. */
  readonly whyMissing: (name: string) => string | null;
  /** Waits, for a limited time, for the named tools to become available, and returns all tools. */
  readonly awaitTools: (names: readonly string[]) => Promise<readonly Tool[]>;
  readonly system: readonly SystemPart[];
  readonly journal: RunJournal;
  /** Called with the run once it is loaded. Its `state` is always the current one. */
  readonly opened: (run: { readonly state: RunState }) => void;
  readonly approvals: ApprovalService;
  /** Estimates tokens. All runs of the process share it. */
  readonly meter: TokenMeter;
  readonly runtime: Runtime;
  readonly log: Log;
  /** Hosts that data may be sent to. */
  readonly sinks: readonly Sink[];
  /** The current plan of the session. */
  plan(): Promise<Plan | null>;
  /** Stable per channel, so that requests with equal prefixes reach the same prompt cache of the provider. */
  readonly cacheKey: string;
}

/** A run in progress, and what it works with. */
export interface QueryRun {
  readonly query: Query;
  readonly run: OpenRun;
}
