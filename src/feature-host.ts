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
import type { Log } from "./core/protocol/log.ts";
import type {
  Describe,
  OutgoingMessage,
  Person,
  PlatformHealth,
  PlatformName,
  Receive,
  ThreadRef,
} from "./core/protocol/platform.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import type { LiveProviders } from "./core/providers/registry/live-providers.ts";
import type { Skill } from "./core/skills/skills.ts";
import type { Store } from "./core/store/store.ts";
import type { Tool } from "./core/tool.ts";
import type { InstructionGate } from "./tools/instructions/instruction-gate.ts";
import type { Resolve } from "./tools/network/resolve.ts";
import type { Quotas } from "./tools/quotas/quotas.ts";
import type { Sandbox } from "./tools/wasm/sandbox.ts";

/** What features work with. */
export interface FeatureHost {
  readonly store: Store;
  readonly engine: Pick<SessionEngine, "deliver" | "deliverAt" | "cancel">;
  readonly runtime: Runtime;
  readonly log: Log;
  /** The processes that share the database: work for one at a time, and what the others have changed. */
  readonly cluster: Cluster;
  readonly approvals: ApprovalRules;
  readonly version: string;
  /** Absolute path of the program's directory. */
  readonly application: string;
  /** Absolute path of the directory of all state. */
  readonly home: string;
  readonly sandbox: Sandbox;
  /** How much may be written. */
  readonly quotas: Quotas;
  /** How tools look host names up. */
  readonly resolve: Resolve;
  /** What holds the store. */
  readonly database: "sqlite" | "postgresql";
  /** What settings say of a platform, whether or not anybody is connected to it. */
  readonly describe: Describe;
  /** How a person stands to a channel. */
  readonly membershipOf: MembershipOf;
  readonly canSeeChannel: CanSeeChannel;
  /** Somebody as their platform knows them now. */
  readonly memberOf: MemberOf;
  /** Whether the access rules let a person use Deckhand. */
  readonly serves: (person: Person) => boolean;
  /** Takes what a person does on a platform, from elsewhere than there. */
  readonly receive: Receive;
  /** A call's short argument. */
  readonly titleOf: StepSources["titleOf"];
  /** Plain data without the program's own secrets, and those of files that were read. */
  readonly hideIn: <T>(value: T) => T;
  /** The query settings of a session. */
  readonly configOf: CommandServices["configOf"];
  /** `provider/model` that answers where neither a channel nor a thread has another. */
  readonly usualModel: () => string;
  /** Adds a few words to the folded line of a run that has ended; nothing where there is none. */
  readonly addToFold: (run: { readonly runId: string; readonly thread: ThreadRef }, words: string) => Promise<void>;
  /** What a run's sandbox root tells agents, as far as nobody has allowed it. */
  readonly instructions: Pick<InstructionGate, "waiting" | "followsRepository">;
  /** Agents, skills and instructions, and what the page sets of them. */
  readonly definitions: Definitions;
  /** Ends a card that a hook has posted in a run: what it shows from now on. */
  readonly closeCard: (card: CardOfRun, last: OutgoingMessage) => Promise<void>;
  /** Absolute path of the directory that holds what files held before they were changed, each under its sha256. */
  readonly snapshots: string;
  /** The sandbox root of a thread's channel. */
  readonly sandboxRootOf: (thread: ThreadRef) => string;
  /** A model call beside runs, for work in the background. */
  readonly callModel: CallModel;
  /** Makes vectors of texts, over the provider that the operator has named. */
  readonly createEmbedder: CreateBackgroundEmbedder;
  /** Ids of admins, and of roles that make some. */
  readonly admins: readonly string[];
  /** Platforms that are served, and how their connections are now. */
  readonly platforms: () => ReadonlyMap<PlatformName, PlatformHealth>;
  /** What may be spent. */
  readonly budgets: BudgetSettings;
  /** Where settings are from, and how those of the page come into force. */
  readonly settings: PageSettings;
  /** How the settings of other processes differ from those of this one. */
  readonly otherSettings: { lines(): readonly string[] };
  /** Looks at jobs, and changes them, as commands do. */
  readonly jobs: JobControl;
  /** What is set of providers now, by id; never a key. */
  readonly providers: LiveProviders["shown"];
  /** Gives keys to providers that have none by the environment or the settings file, in place of those given before. */
  readonly giveKeys: LiveProviders["setKeys"];
  /** Tries a provider's key, or another one for it, and says what came back. */
  readonly tryKey: (provider: string, key?: string) => Promise<Finding>;
  /** Every tool there is now, with where it comes from. */
  readonly tools: () => readonly FeatureTool[];
  /** Why tools are missing that there should be, a sentence each. */
  readonly toolProblems: () => readonly string[];
  /** Hosts that tools may read from, as it stands now. */
  readonly allowedHosts: readonly string[];
  /** Agents by name. */
  readonly agents: () => ReadonlyMap<string, AgentDefinition>;
  /** Names that tools may not take: those of tools that were there before. */
  readonly taken: () => ReadonlySet<string>;
  /** Writes down for the audit log what somebody has done; it never rejects. */
  readonly audit: WriteAudit;
  /** Those of the channels (`slack:C1`) that the page shows somebody, by id. */
  readonly seenChannels: TeamSessions["channels"];
  /** Whether the page shows somebody a session; what it does not show is not there. */
  readonly showsSession: (viewer: Viewer, sessionId: string) => Promise<boolean>;
  /** Sessions are gone for everybody from now on; their rows are there for a moment longer. */
  readonly sessionsGone: (sessionIds: readonly string[]) => void;
  /** A thread that this program keeps itself is gone: whoever has it open hears of it. */
  readonly threadGone: (threadId: string) => void;
}

/** What agents are, and what they are told, as the page shows and sets it. */
export interface Definitions {
  readonly agents: DefinitionSet;
  readonly skills: DefinitionSet;
  /** The operator's own instructions, by channel; empty: of all channels. */
  readonly instructions: Pick<DefinitionSet, "check" | "set">;
  /** Channels that have settings of their own: `slack:C1`. */
  readonly configured: () => readonly string[];
  /** The agent that a channel has; empty: any other channel. */
  readonly agentOf: (channelKey: string) => string;
  /** What agents are told in a channel now. */
  readonly told: (channelKey: string) => Promise<ToldInChannel>;
}

interface ToldInChannel {
  /** Absolute path; null where there is no such directory yet. */
  readonly sandboxRoot: string | null;
  /** What is followed, in the order in which agents read it. */
  readonly layers: readonly InstructionLayer[];
  /** What is there and not followed. */
  readonly waiting: readonly { readonly path: string; readonly text: string }[];
  /** The directory's own skills, as far as they are followed. */
  readonly skills: readonly Pick<Skill, "name" | "description" | "source">[];
}

/** A tool with where it comes from, as people read it. */
export interface FeatureTool {
  readonly tool: Tool;
  readonly source: string;
}

export type WriteAudit = (entry: AuditEntry) => Promise<void>;

/** What somebody has done, for the audit log. It holds no secrets. */
export interface AuditEntry {
  /** An account's name, or somebody as their platform shows them; empty: nobody knows. */
  readonly by: string;
  readonly act: Act;
  readonly about: string;
  readonly details?: string;
}

/** A card by the run and the hook that have posted it. */
interface CardOfRun {
  readonly runId: string;
  readonly hook: string;
  readonly thread: ThreadRef;
}

/** What is there without a running program. */
export type BesideHost = Pick<FeatureHost, "store" | "runtime" | "home">;
