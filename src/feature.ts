import type { WatchRun } from "./adapters/render/watched-runs.ts";
import type { PanelSource } from "./adapters/web/live/overview.ts";
import type { FeatureRoute } from "./adapters/web/server/feature-routes.ts";
import type { Logins } from "./adapters/web/server/logins.ts";
import type { TeamSessions } from "./adapters/web/sessions/team-sessions.ts";
import type { Finding } from "./cli/doctor/finding.ts";
import type { Listener, SettingsSchema } from "./config/feature-settings.ts";
import type { Environment } from "./config/sources.ts";
import type { QueryConfig } from "./core/agents/query-config.ts";
import type { ChatCommand, CommandOption, CommandServices } from "./core/command-line/command.ts";
import type { DeclaredJobReader } from "./core/jobs/job-control.ts";
import type { Log } from "./core/protocol/log.ts";
import type { CreateEmbedder } from "./core/providers/registry/embedder.ts";
import type { RunHook } from "./core/run/run-hooks.ts";
import type { Tool } from "./core/tool.ts";
import type { FeatureHost, OfflineHost, WriteAudit } from "./feature-host.ts";
import type { OwnFiles } from "./tools/own-files.ts";

/**
 * A feature: one folder in src/features and one object in features.ts, which knows nothing else of it. Its parts are
 * loaded when it opens, and a feature that is off loads nothing.
 */
export interface Feature {
  /** Lower-case letters and hyphens. The name appears in messages about failures. */
  readonly name: string;
  readonly settings: SettingsSchema;
  /** The feature's commands, which exist whether it is on or off. */
  readonly commands?: readonly FeatureCommand[];
  /** Reads the operator's settings for the feature. */
  configure(given: GivenSettings): ConfiguredFeature;
}

export interface GivenSettings {
  /** The feature's keys in the settings file, validated, or as written if the feature validates them itself. */
  readonly file: Readonly<Record<string, unknown>>;
  readonly environment: Environment;
  /** The settings file's name for messages. */
  readonly fileName: string;
}

export type FeatureCommand = Omit<ChatCommand, "run"> & {
  /** The reply if the feature is off, which says how to turn it on, or a function to run then. */
  readonly whenOff: string | ChatCommand["run"];
};

/** What a feature's check can use during `doctor`. None of it counts as spending. */
export interface CheckWorld extends Pick<FeatureHost, "runtime" | "log" | "version" | "home"> {
  readonly createEmbedder: CreateEmbedder;
  readonly declaredJobs: () => Promise<DeclaredJobReader>;
  /** Uses the database; null if there is none of this version yet. */
  readonly onStore: <T>(use: (host: OfflineHost | null) => Promise<T>) => Promise<T>;
}

export interface ConfiguredFeature {
  /** Errors that prevent the start. */
  readonly problems: readonly string[];
  /** Warnings about settings that are valid but look wrong. */
  readonly warnings?: readonly string[];
  /** Environment variables that the settings refer to. */
  readonly usedVariables?: readonly string[];
  /** Models, as `provider/model`, by the settings that name them. */
  readonly models?: Readonly<Record<string, string>>;
  /** Ports that the feature listens on once it opens. */
  readonly listens?: readonly Listener[];
  /** Credentials to be hidden from logs. */
  readonly secrets?: readonly string[];
  /** What the feature's own subcommands read of its settings. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** Whether the program refuses to start if the feature does not open. Otherwise it starts without the feature. */
  readonly isEssential?: boolean;
  /** Returns the feature's findings for `doctor`. */
  check?(world: CheckWorld): Promise<readonly Finding[]>;
  /** Stored keys of providers, for commands that use the database without the program. At most one feature has this. */
  readonly storedKeys?: (host: OfflineHost) => Promise<StoredKeys>;
  /** The audit log for the same commands. */
  readonly auditBeside?: (host: OfflineHost & { readonly log: Pick<Log, "error"> }) => Promise<WriteAudit>;
  /** Absent if the feature is off. */
  readonly open?: (host: FeatureHost) => Promise<OpenFeature>;
}

export interface StoredKeys {
  readonly keys: ReadonlyMap<string, string>;
  /** Why some keys cannot be used, as a sentence; null if all can. */
  readonly problem: string | null;
}

export type { FeatureAnswer, FeatureRequest, FeatureRoute } from "./adapters/web/server/feature-routes.ts";
export type { Act, AuditRow } from "./adapters/web/sessions/team-audit.ts";
export type {
  FullDefinition,
  ListedDefinition,
  NamedChannel,
} from "./adapters/web/sessions/team-definitions.ts";
export type {
  CommandOutcome,
  TeamJob,
  TeamJobs,
  TeamJobView,
} from "./adapters/web/sessions/team-jobs.ts";
export type { TeamMemories, TeamMemory } from "./adapters/web/sessions/team-memory.ts";
export type { TeamOverview } from "./adapters/web/sessions/team-overview.ts";
export type { TeamModel, TeamProvider } from "./adapters/web/sessions/team-providers.ts";
export type { TeamReplica, TeamReplicas } from "./adapters/web/sessions/team-replicas.ts";
export type { SeenChannel, SessionToDelete, TeamSessions } from "./adapters/web/sessions/team-sessions.ts";
export type {
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
export type {
  BegunSignIn,
  ChangedSignIn,
  TeamServer,
  TeamServers,
  TeamTool,
  TeamToolDetails,
  TeamTools,
} from "./adapters/web/sessions/team-tools.ts";
export type { TeamUsage } from "./adapters/web/sessions/team-usage.ts";

/** The parts of an open feature. All are optional. */
export interface OpenFeature {
  /** The feature's current tools. */
  readonly tools?: () => readonly Tool[];
  /** Returns a tool's origin for people. `built in` by default. */
  readonly sourceOf?: (tool: Tool) => string;
  /** Implementations of the feature's commands, by name. */
  readonly commands?: Readonly<Record<string, ChatCommand["run"]>>;
  /** Suggestions by names of command and option, in place of those in the command's description. */
  readonly completions?: Readonly<Record<string, Readonly<Record<string, CommandOption["complete"]>>>>;
  /** Decides which runs delegate their work, and how. */
  readonly delegate?: CommandServices["delegate"];
  /** Copies of files for sub-agents. At most one feature has this. */
  readonly ownFiles?: OwnFiles;
  /** Returns the prompt section for a run with these settings; empty for none. */
  readonly section?: (config: QueryConfig) => string;
  /** Tells the model why a tool is unavailable; null if the tool is none of this feature's. */
  readonly whyMissing?: (tool: string) => string | null;
  /** Resolves when it is known whether the tool exists. Absent if that is always known. */
  readonly toolKnown?: (tool: string) => Promise<void>;
  /** Why configured tools are unavailable, one sentence for each. */
  readonly problems?: () => readonly string[];
  /** Work done before and after each run. */
  readonly hook?: Omit<RunHook, "name">;
  /** Called with each event that people see of a run. Must return at once. */
  readonly watchRun?: WatchRun;
  /** Routes of the web server under `/features/<name>/`. */
  readonly routes?: readonly FeatureRoute[];
  /** The feature's panel on the page. */
  readonly panel?: PanelSource;
  /** Sessions of all platforms, for the page. At most one feature has this. */
  readonly sessions?: TeamSessions;
  /** Logins for opening the page from other machines. At most one feature has this. */
  readonly logins?: Logins;
  /** Writes the audit log. At most one feature has this. */
  readonly audit?: WriteAudit;
  /** Called when sessions are deleted. */
  readonly sessionsGone?: FeatureHost["sessionsGone"];
  /**
   * Takes over the jobs that the feature defines, first before any is due and then repeatedly in one of the processes.
   * Returns new problems, one line each.
   */
  readonly readJobs?: () => Promise<readonly string[]>;
  /** Called once all features are open. */
  readonly start?: (signal: AbortSignal) => Promise<void>;
  readonly stop?: () => Promise<void>;
}

/** A route that anyone who can read the page may request. */
export function getRoute(path: string, handle: FeatureRoute["handle"]): FeatureRoute {
  return { method: "GET", path, handle };
}

/** A route for people who may take part. */
export function postRoute(path: string, handle: FeatureRoute["handle"]): FeatureRoute {
  return { method: "POST", path, handle };
}

export function adminPostRoute(path: string, handle: FeatureRoute["handle"]): FeatureRoute {
  return { method: "POST", path, role: "admin", handle };
}
