import type { WatchRun } from "./adapters/render/watched-runs.ts";
import type { PanelSource } from "./adapters/web/live/overview.ts";
import type { FeatureAnswer, FeatureRequest, FeatureRoute } from "./adapters/web/server/feature-routes.ts";
import type { Logins } from "./adapters/web/server/logins.ts";
import type { Act, AuditRow } from "./adapters/web/sessions/team-audit.ts";
import type { ListedDefinition, NamedChannel, WholeDefinition } from "./adapters/web/sessions/team-definitions.ts";
import type { CommandTold, TeamJob, TeamJobs, TeamJobView } from "./adapters/web/sessions/team-jobs.ts";
import type { TeamMemories, TeamMemory } from "./adapters/web/sessions/team-memory.ts";
import type { TeamOverview } from "./adapters/web/sessions/team-overview.ts";
import type { TeamModel, TeamProvider } from "./adapters/web/sessions/team-providers.ts";
import type { TeamReplica, TeamReplicas } from "./adapters/web/sessions/team-replicas.ts";
import type { SeenChannel, SessionToDelete, TeamSessions, Viewer } from "./adapters/web/sessions/team-sessions.ts";
import type {
  CheckedSettings,
  OldSettings,
  SavedSettings,
  SettingChange,
  SettingControl,
  SettingDifference,
  SettingProblem,
  SettingSource,
  SettingsRevision,
  ShownSetting,
  TeamSettings,
} from "./adapters/web/sessions/team-settings.ts";
import type {
  TeamServer,
  TeamServers,
  TeamTool,
  TeamToolDetails,
  TeamTools,
} from "./adapters/web/sessions/team-tools.ts";
import type { TeamUsage } from "./adapters/web/sessions/team-usage.ts";
import type { Finding } from "./cli/doctor/finding.ts";
import type { Listener, SettingsSchema } from "./config/feature-settings.ts";
import type { Environment } from "./config/sources.ts";
import type { PageSettings } from "./config/stored/page-settings.ts";
import type { DefinitionSet } from "./core/agents/page-definitions.ts";
import type { AgentDefinition, QueryConfig } from "./core/agents/query-config.ts";
import type { CallModel } from "./core/budget/background-call.ts";
import type { CreateBackgroundEmbedder } from "./core/budget/background-embedder.ts";
import type { BudgetSettings } from "./core/budget/limits.ts";
import type { Cluster } from "./core/cluster.ts";
import type { ChatCommand, CommandOption, CommandServices } from "./core/command-line/command.ts";
import type { InstructionLayer } from "./core/context/system-prompt.ts";
import type { SessionEngine } from "./core/engine/engine.ts";
import type { StepSources } from "./core/history/run-steps.ts";
import type { JobControl, KeptJobReader } from "./core/jobs/job-control.ts";
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
import type { CreateEmbedder } from "./core/providers/registry/embedder.ts";
import type { LiveProviders } from "./core/providers/registry/live-providers.ts";
import type { RunHook } from "./core/run/run-hooks.ts";
import type { Skill } from "./core/skills/skills.ts";
import type { Store } from "./core/store/store.ts";
import type { Tool } from "./core/tool.ts";
import type { InstructionGate } from "./tools/instructions/instruction-gate.ts";
import type { Resolve } from "./tools/network/resolve.ts";
import type { OwnFiles } from "./tools/own-files.ts";
import type { Quotas } from "./tools/quotas/quotas.ts";
import type { Sandbox } from "./tools/wasm/sandbox.ts";

/**
 * A feature: one folder of src/features and one object, which features.ts lists and of whose insides it knows nothing. What it
 * is made of is loaded when it opens, and one that is off opens nothing.
 */
export interface Feature {
  /** Small letters and hyphens; it names the feature where it fails. */
  readonly name: string;
  readonly settings: SettingsSchema;
  /** What people type for it, whether it is on or off. */
  readonly commands?: readonly FeatureCommand[];
  /** Reads what the operator has set. */
  configure(given: GivenSettings): ConfiguredFeature;
}

export interface GivenSettings {
  /** The feature's keys of the settings file: checked, or as they were written where the feature checks them itself. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  /** How messages name the settings file. */
  readonly fileName: string;
}

export type FeatureCommand = Omit<ChatCommand, "run"> & {
  /** What is answered where the feature is off, how an operator turns it on; or what the command does then. */
  readonly whenOff: string | ChatCommand["run"];
};

/** What doctor gives a feature to look with; nothing of it counts as spent. */
interface CheckWorld extends Pick<FeatureHost, "runtime" | "log" | "version" | "home"> {
  readonly createEmbedder: CreateEmbedder;
  readonly keptJobs: () => Promise<KeptJobReader>;
}

/** A feature with its settings. */
export interface ConfiguredFeature {
  /** A start is refused with these lines. */
  readonly problems: readonly string[];
  /** Nothing is wrong, but something looks it. */
  readonly warnings?: readonly string[];
  /** Variables that its settings refer to. */
  readonly usedVariables?: readonly string[];
  /** Models, `provider/model`, by the settings that name them. */
  readonly models?: Readonly<Record<string, string>>;
  /** Ports that it takes once it opens. */
  readonly listens?: readonly Listener[];
  /** Credentials, which no log line shows. */
  readonly secrets?: readonly string[];
  /** What is in force, for the log of a start: names, never secrets. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** A start is refused where it does not open; otherwise the rest starts without it. */
  readonly isEssential?: boolean;
  /** What doctor finds. */
  check?(world: CheckWorld): Promise<readonly Finding[]>;
  /** Keys of providers that it keeps, for whoever works on the database beside the program; of one feature. */
  readonly storedKeys?: (host: BesideHost) => Promise<StoredKeys>;
  /** The audit log, for the same. */
  readonly auditBeside?: (host: BesideHost & { readonly log: Pick<Log, "error"> }) => Promise<WriteAudit>;
  /** Absent: the feature is off. */
  readonly open?: (host: FeatureHost) => Promise<OpenFeature>;
}

/** What is there without a running program. */
export type BesideHost = Pick<FeatureHost, "store" | "runtime" | "home">;

interface StoredKeys {
  /** By provider. */
  readonly keys: ReadonlyMap<string, string>;
  /** Why some cannot be used, as a sentence; null: all can be. */
  readonly problem: string | null;
}

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

export type {
  Act,
  AuditRow,
  CheckedSettings,
  CommandTold,
  FeatureAnswer,
  FeatureRequest,
  FeatureRoute,
  ListedDefinition,
  NamedChannel,
  OldSettings,
  SavedSettings,
  SeenChannel,
  SessionToDelete,
  SettingChange,
  SettingControl,
  SettingDifference,
  SettingProblem,
  SettingSource,
  SettingsRevision,
  ShownSetting,
  TeamJob,
  TeamJobs,
  TeamJobView,
  TeamMemories,
  TeamMemory,
  TeamModel,
  TeamOverview,
  TeamProvider,
  TeamReplica,
  TeamReplicas,
  TeamServer,
  TeamServers,
  TeamSessions,
  TeamSettings,
  TeamTool,
  TeamToolDetails,
  TeamTools,
  TeamUsage,
  WholeDefinition,
};

/** What an open feature gives; all of it may be left out. */
export interface OpenFeature {
  /** They may come and go. */
  readonly tools?: () => readonly Tool[];
  /** Where a tool comes from, as people read it; `built in` when left out. */
  readonly sourceOf?: (tool: Tool) => string;
  /** By name, what the feature's commands do. */
  readonly commands?: Readonly<Record<string, ChatCommand["run"]>>;
  /** By the command's and the option's name, what could stand in an option; in place of what its description says. */
  readonly completions?: Readonly<Record<string, Readonly<Record<string, CommandOption["complete"]>>>>;
  /** Which runs hand their work on, and how. */
  readonly delegate?: CommandServices["delegate"];
  /** Files of their own for sub-agents; of one feature. */
  readonly ownFiles?: OwnFiles;
  /** A section of the prompt of a run with these settings; empty for none. */
  readonly section?: (config: QueryConfig) => string;
  /** Why a tool of that name is not there, for the model; null when it is none of this feature's. */
  readonly whyMissing?: (tool: string) => string | null;
  /** Resolves when it is known whether there is a tool of that name; absent: it is known at once. */
  readonly toolKnown?: (tool: string) => Promise<void>;
  /** Why tools are missing that there should be, a sentence each. */
  readonly problems?: () => readonly string[];
  /** What is done around each run. */
  readonly hook?: Omit<RunHook, "name">;
  /** Hears what people are shown of each run, as it happens; at once, and it keeps nobody waiting. */
  readonly watchRun?: WatchRun;
  /** What the page's server answers under `/features/<name>/`. */
  readonly routes?: readonly FeatureRoute[];
  /** What the page shows of it. */
  readonly panel?: PanelSource;
  /** Sessions of all platforms, as the page shows them; of one feature. */
  readonly sessions?: TeamSessions;
  /** Who may open the page beyond this machine; of one feature. */
  readonly logins?: Logins;
  /** Keeps the audit log; of one feature. */
  readonly audit?: WriteAudit;
  /** Hears that sessions are gone. */
  readonly sessionsGone?: FeatureHost["sessionsGone"];
  /** Takes over jobs that it keeps: before any is due, then again and again in one of the processes. New problems, a line each. */
  readonly readJobs?: () => Promise<readonly string[]>;
  /** Once all features are open. */
  readonly start?: (signal: AbortSignal) => Promise<void>;
  readonly stop?: () => Promise<void>;
}

/** What whoever reads the page may ask for. */
export function get(path: string, handle: FeatureRoute["handle"]): FeatureRoute {
  return { method: "GET", path, handle };
}

/** What whoever takes part may do. */
export function post(path: string, handle: FeatureRoute["handle"]): FeatureRoute {
  return { method: "POST", path, handle };
}

/** What an admin may do. */
export function adminPost(path: string, handle: FeatureRoute["handle"]): FeatureRoute {
  return { method: "POST", path, role: "admin", handle };
}
