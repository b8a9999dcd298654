import type { QueryConfig } from "../agents/query-config.ts";
import type { BudgetSettings } from "../budget/limits.ts";
import type { Cluster } from "../cluster.ts";
import type { CommandServices } from "../command-line/command.ts";
import type { InstructionLayer, InstructionRoots } from "../context/system-prompt.ts";
import type { SessionEngine } from "../engine/engine.ts";
import type { AttachmentPlace, SavedAttachment } from "../input/attached-files.ts";
import type { ApprovalRules } from "../permissions/deciders.ts";
import type { OpenRunViewOptions } from "../progress/open-run-view.ts";
import type { ChatPlatform, PlatformName } from "../protocol/platform.ts";
import type { ProviderRegistry } from "../providers/provider.ts";
import type { SkillCatalogue } from "../skills/skills.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Tool } from "../tool.ts";
import type { Sink } from "../trust/egress.ts";
import type { HostRules } from "../trust/host-patterns.ts";
import type { RunHook } from "./run-hooks.ts";

/** What configuration says of a session's channel. */
export interface ChannelConfig extends InstructionRoots, HostRules {
  readonly config: QueryConfig;
  /** Hosts that data may go to. */
  readonly sinks: readonly Sink[];
  /** As the model reads it. */
  readonly place: { readonly platform: string; readonly channel: string };
}

export interface RunnerOptions extends OpenRunViewOptions {
  readonly registry: ProviderRegistry;
  /** What may be spent; a channel's `maxBudgetUsd` wins over the limit of a run given here. */
  readonly budgets: BudgetSettings;
  /** Who decides what asks first. */
  readonly approvals: ApprovalRules;
  /** Other processes may open a job's thread, too, or go on with a run that is parked. */
  readonly cluster: Pick<Cluster, "isShared" | "lock">;
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt">;
  /** Those that there are now. */
  readonly tools: () => readonly Tool[];
  /** What these say of themselves in the prompt of a run with such settings. */
  readonly sections: (config: QueryConfig) => string;
  /** What is done around each run. */
  readonly hooks: () => readonly RunHook[];
  /** Why a tool is not there for the moment; null for one that never was. */
  readonly whyMissing: (name: string) => string | null;
  /** Resolves when it is known whether there is such a tool. */
  readonly toolKnown: (name: string) => Promise<void>;
  readonly platform: (name: PlatformName) => ChatPlatform;
  /** Which runs hand their work on, and how. */
  readonly delegate: CommandServices["delegate"];
  /** Its `sandboxRoot` exists. */
  readonly channelConfigOf: (session: SessionRow) => Promise<ChannelConfig>;
  /** What instruction files say there, the most general first. */
  readonly instructionsOf: (place: InstructionRoots, channelKey: string) => readonly InstructionLayer[];
  /** The skills that hold there. */
  readonly skillsOf: (sandboxRoot: string, channelKey: string) => SkillCatalogue;
  /** Keeps an attachment beneath the sandbox root. */
  readonly saveAttachment: (place: AttachmentPlace, name: string, data: Uint8Array) => Promise<SavedAttachment>;
}
