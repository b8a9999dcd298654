import type { QueryConfig } from "../agents/query-config.ts";
import type { BudgetSettings } from "../budget/limits.ts";
import type { Cluster } from "../cluster.ts";
import type { CommandServices } from "../command-line/command.ts";
import type { InstructionLayer, InstructionRoots } from "../context/system-prompt.ts";
import type { SessionEngine } from "../engine/engine.ts";
import type { AttachmentPlace, ReadDocument, SavedAttachment } from "../input/attached-files.ts";
import type { ApprovalRules } from "../permissions/deciders.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { PlatformName } from "../platform/thread.ts";
import type { OpenRunViewOptions } from "../progress/open-run-view.ts";
import type { ProviderRegistry } from "../providers/provider.ts";
import type { SkillCatalogue } from "../skills/skills.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Tool } from "../tool.ts";
import type { Sink } from "../trust/egress.ts";
import type { HostRules } from "../trust/host-patterns.ts";
import type { RunHook } from "./run-hooks.ts";

/** A session's settings as configured for its channel. */
export interface ChannelConfig extends InstructionRoots, HostRules {
  readonly config: QueryConfig;
  /** Hosts that data may be sent to. */
  readonly sinks: readonly Sink[];
  /** Names of the platform and channel for the prompt. */
  readonly place: { readonly platform: string; readonly channel: string };
}

export interface RunnerOptions extends OpenRunViewOptions {
  readonly registry: ProviderRegistry;
  /** Budget limits. A channel's `maxBudgetUsd` overrides the limit per run given here. */
  readonly budgets: BudgetSettings;
  readonly approvals: ApprovalRules;
  /** Tells whether other processes may open a job's thread or continue a parked run. */
  readonly cluster: Pick<Cluster, "isShared" | "lock">;
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt">;
  /** The tools that are available now. */
  readonly tools: () => readonly Tool[];
  /** The features' prompt sections for a run with the given settings. */
  readonly sections: (config: QueryConfig) => string;
  /** Work done before and after each run. */
  readonly hooks: () => readonly RunHook[];
  /** Why a tool is temporarily unavailable; null if no such tool was ever known. */
  readonly whyMissing: (name: string) => string | null;
  /** Resolves when it is known whether the tool exists. */
  readonly toolKnown: (name: string) => Promise<void>;
  readonly platform: (name: PlatformName) => ChatPlatform;
  /** Decides which runs delegate their work, and how. */
  readonly delegate: CommandServices["delegate"];
  /** Creates the `sandboxRoot` if necessary. */
  readonly channelConfigOf: (session: SessionRow) => Promise<ChannelConfig>;
  /** Contents of the instruction files, most general first. */
  readonly instructionsOf: (place: InstructionRoots, channelKey: string) => readonly InstructionLayer[];
  /** The skills available in a sandbox root. */
  readonly skillsOf: (sandboxRoot: string, channelKey: string) => SkillCatalogue;
  /** Saves an attachment beneath the sandbox root. */
  readonly saveAttachment: (place: AttachmentPlace, name: string, data: Uint8Array) => Promise<SavedAttachment>;
  readonly readDocument: ReadDocument;
}
