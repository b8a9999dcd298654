import type { Act } from "./adapters/web/sessions/team-audit.ts";
import type { TeamSessions, Viewer } from "./adapters/web/sessions/team-sessions.ts";
import type { Finding } from "./cli/doctor/finding.ts";
import type { PageSettings } from "./config/stored/page-settings.ts";
import type { DefinitionSet } from "./core/agents/page-definitions.ts";
import type { AgentDefinition } from "./core/agents/query-config.ts";
import type { CallModel } from "./core/budget/background-call.ts";
import type { CreateBackgroundEmbedder } from "./core/budget/background-embedder.ts";
import type { BudgetSettings } from "./core/budget/limits.ts";
import type { Cluster } from "./core/cluster.ts";
import type { CommandServices } from "./core/command-line/command.ts";
import type { InstructionLayer } from "./core/context/system-prompt.ts";
import type { SessionEngine } from "./core/engine/engine.ts";
import type { StepSources } from "./core/history/run-steps.ts";
import type { JobControl } from "./core/jobs/job-control.ts";
import type { CanSeeChannel, MembershipOf } from "./core/permissions/channel-access.ts";
import type { ApprovalRules } from "./core/permissions/deciders.ts";
import type { MemberOf } from "./core/permissions/members.ts";
import type { PlatformHealth } from "./core/platform/chat-platform.ts";
import type { Describe } from "./core/platform/descriptor.ts";
import type { Receive } from "./core/platform/inbound.ts";
import type { OutgoingMessage } from "./core/platform/outgoing.ts";
import type { Person, PlatformName, ThreadRef } from "./core/platform/thread.ts";
import type { Log } from "./core/protocol/log.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import type { LiveProviders } from "./core/providers/registry/live-providers.ts";
import type { Skill } from "./core/skills/skills.ts";
import type { Store } from "./core/store/store.ts";
import type { InstructionGate } from "./tools/instructions/instruction-gate.ts";
import type { ConnectOptions } from "./tools/network/connect.ts";
import type { Resolve } from "./tools/network/resolve.ts";
import type { Quotas } from "./tools/quotas/quotas.ts";
import type { SourcedTool } from "./tools/toolbox.ts";
import type { Sandbox } from "./tools/wasm/sandbox.ts";

/** The services that features work with. */
export interface FeatureHost {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt" | "cancel">;
  readonly runtime: Runtime;
  readonly log: Log;
  /** The processes that share the database. Assigns work to one process at a time and passes on changes. */
  readonly cluster: Cluster;
  readonly approvals: ApprovalRules;
  readonly version: string;
  /** Absolute path of the program's directory. */
  readonly application: string;
  /** Absolute path of the directory of all state. */
  readonly home: string;
  readonly sandbox: Sandbox;
  /** Limits for written data. */
  readonly quotas: Quotas;
  /** Resolves host names for tools. */
  readonly resolve: Resolve;
  /** The proxy through which an address is reached; null for none. */
  readonly proxyFor: NonNullable<ConnectOptions["proxyFor"]>;
  readonly database: "sqlite" | "postgresql";
  /** Describes a platform, whether or not it is connected. */
  readonly describe: Describe;
  /** Returns a person's relation to a channel. */
  readonly membershipOf: MembershipOf;
  readonly canSeeChannel: CanSeeChannel;
  /** Returns a person as their platform currently describes them. */
  readonly memberOf: MemberOf;
  /** Whether the access rules let a person use Deckhand. */
  readonly serves: (person: Person) => boolean;
  /** Receives an action of a person as if it happened on a platform. */
  readonly receive: Receive;
  /** Returns a call's short argument. */
  readonly titleOf: StepSources["titleOf"];
  /** Removes the program's own secrets, and secrets of files that were read, from plain data. */
  readonly hideIn: <T>(value: T) => T;
  /** Makes `hideIn` and the log hide the secrets `now` and forget those `before`, which are no longer valid. */
  readonly replaceSecrets: (before: readonly string[], now: readonly string[]) => void;
  /** The query settings of a session. */
  readonly configOf: CommandServices["configOf"];
  /** Default model, as `provider/model`, where neither the channel nor the thread sets one. */
  readonly usualModel: () => string;
  /** Adds a few words to the folded line of a run that has ended. Does nothing if there is none. */
  readonly addToFold: (run: { readonly runId: string; readonly thread: ThreadRef }, words: string) => Promise<void>;
  /** Instructions of a sandbox root that still need permission. */
  readonly instructions: Pick<InstructionGate, "waiting" | "followsRepository">;
  /** Agents, skills and instructions, as shown and set on the page. */
  readonly definitions: Definitions;
  /** Replaces a card that a hook has posted in a run by its final state. */
  readonly closeCard: (card: CardOfRun, last: OutgoingMessage) => Promise<void>;
  /** Absolute path of the directory that keeps earlier contents of files, each under its sha256. */
  readonly snapshots: string;
  readonly sandboxRootOf: (thread: ThreadRef) => string;
  /** Calls a model outside runs, for background work. */
  readonly callModel: CallModel;
  /** Creates embedders that use the provider named by the operator. */
  readonly createEmbedder: CreateBackgroundEmbedder;
  /** Ids of admins, and of roles whose members are admins. */
  readonly admins: readonly string[];
  /** The served platforms and the state of their connections. */
  readonly platforms: () => ReadonlyMap<PlatformName, PlatformHealth>;
  readonly budgets: BudgetSettings;
  /** The origins of settings, and operations on the page's settings. */
  readonly settings: PageSettings;
  /** How the settings of other processes differ from those of this one. */
  readonly otherSettings: { lines(): readonly string[] };
  /** Shows and changes jobs, as commands do. */
  readonly jobs: JobControl;
  /** The current settings of providers by id, without keys. */
  readonly providers: LiveProviders["shown"];
  /** Sets the keys of providers that have none from the environment or the settings file, replacing earlier ones. */
  readonly giveKeys: LiveProviders["setKeys"];
  /** Tests a provider's key, or another one for it, and returns the result. */
  readonly tryKey: (provider: string, key?: string) => Promise<Finding>;
  /** Every available tool with its origin. */
  readonly tools: () => readonly SourcedTool[];
  /** Why configured tools are unavailable, one sentence for each. */
  readonly toolProblems: () => readonly string[];
  /** Hosts that tools may read from. The list is kept up to date. */
  readonly allowedHosts: readonly string[];
  readonly agents: () => ReadonlyMap<string, AgentDefinition>;
  /** Tool names that are already in use. */
  readonly taken: () => ReadonlySet<string>;
  /** Records an action in the audit log. Never rejects. */
  readonly audit: WriteAudit;
  /** Those of the channels (`slack:C1`) that the page shows to a person, by id. */
  readonly seenChannels: TeamSessions["channels"];
  /** Whether the page shows a session to a person. For those who may not see it, it does not exist. */
  readonly showsSession: (viewer: Viewer, sessionId: string) => Promise<boolean>;
  /** Announces that sessions are deleted. Their rows remain for a moment. */
  readonly sessionsGone: (sessionIds: readonly string[]) => void;
  /** Notifies those who have a thread open, on platforms that keep their threads in our database. */
  readonly threadErased: OnThreadErased;
}

/** `isWhole`: the thread is deleted; otherwise some of its messages, since others are still needed. */
export type OnThreadErased = (threadId: string, isWhole: boolean) => void;

export interface Definitions {
  readonly agents: DefinitionSet;
  readonly skills: DefinitionSet;
  /** The operator's own instructions by channel. The empty name stands for all channels. */
  readonly instructions: Pick<DefinitionSet, "check" | "set">;
  /** Channels with settings of their own, such as `slack:C1`. */
  readonly configured: () => readonly string[];
  /** The agent of a channel. The empty key stands for any channel without settings of its own. */
  readonly agentOf: (channelKey: string) => string;
  /** The instructions that agents currently get in a channel. */
  readonly instructionsIn: (channelKey: string) => Promise<ChannelInstructions>;
}

interface ChannelInstructions {
  /** Absolute path; null if the directory does not exist yet. */
  readonly sandboxRoot: string | null;
  /** The instructions that are followed, in the order in which agents read them. */
  readonly layers: readonly InstructionLayer[];
  /** Instructions that are not followed without permission. */
  readonly waiting: readonly { readonly path: string; readonly text: string }[];
  /** The directory's own skills that are followed. */
  readonly skills: readonly Pick<Skill, "name" | "description" | "source">[];
}

export type WriteAudit = (entry: AuditEntry) => Promise<void>;

/** An entry of the audit log. It holds no secrets. */
export interface AuditEntry {
  /** Name of an account, or of a person as their platform shows it; empty if unknown. */
  readonly by: string;
  readonly act: Act;
  readonly about: string;
  readonly details?: string;
}

/** A card, identified by the run and the hook that posted it. */
interface CardOfRun {
  readonly runId: string;
  readonly hook: string;
  readonly thread: ThreadRef;
}

/** The services that are available without a running program. */
export type OfflineHost = Pick<FeatureHost, "store" | "runtime" | "home" | "proxyFor">;
