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
import type { KeptJobReader } from "./core/jobs/job-control.ts";
import type { Log } from "./core/protocol/log.ts";
import type { CreateEmbedder } from "./core/providers/registry/embedder.ts";
import type { RunHook } from "./core/run/run-hooks.ts";
import type { Tool } from "./core/tool.ts";
import type { BesideHost, FeatureHost, WriteAudit } from "./feature-host.ts";
import type { OwnFiles } from "./tools/own-files.ts";

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

interface StoredKeys {
  /** By provider. */
  readonly keys: ReadonlyMap<string, string>;
  /** Why some cannot be used, as a sentence; null: all can be. */
  readonly problem: string | null;
}

export type { FeatureAnswer, FeatureRequest, FeatureRoute } from "./adapters/web/server/feature-routes.ts";
export type { Act, AuditRow } from "./adapters/web/sessions/team-audit.ts";
export type { ListedDefinition, NamedChannel, WholeDefinition } from "./adapters/web/sessions/team-definitions.ts";
export type { CommandTold, TeamJob, TeamJobs, TeamJobView } from "./adapters/web/sessions/team-jobs.ts";
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
  TeamServer,
  TeamServers,
  TeamTool,
  TeamToolDetails,
  TeamTools,
} from "./adapters/web/sessions/team-tools.ts";
export type { TeamUsage } from "./adapters/web/sessions/team-usage.ts";

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
