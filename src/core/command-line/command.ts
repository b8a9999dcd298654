import type { AgentDefinition, QueryConfig } from "../agents/query-config.ts";
import type { ModelChoice } from "../budget/model-choice.ts";
import type { CalledSkill } from "../events/session-event.ts";
import type { SessionSettings } from "../events/session-settings.ts";
import type { RestoreFiles } from "../history/file-restore.ts";
import type { JobControl } from "../jobs/job-control.ts";
import type { DecisionScope } from "../people/interaction.ts";
import type { AccessRules } from "../permissions/access.ts";
import type { CanSeeChannel } from "../permissions/channel-access.ts";
import type { Form, FormProblems, FormValues } from "../protocol/form.ts";
import type { Completion, Describe, OutgoingMessage, Person, ThreadRef } from "../protocol/platform.ts";
import type { SkillCatalogue } from "../skills/skills.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Tool } from "../tool.ts";

/** Who may use a command: whoever is served, those who may change the session, or admins. */
export type CommandPermission = "everyone" | "people" | "admin";

/** A field that platforms with forms for commands show; its value is typed as text. */
export interface CommandOption {
  /** Small letters, digits and hyphens. */
  readonly name: string;
  /** At most 100 characters. */
  readonly description: string;
  readonly required?: boolean;
  readonly choices?: readonly string[];
  /** Makes it a subcommand with these fields, which are typed as flags. */
  readonly options?: readonly CommandOption[];
  /** All that could stand in it, for platforms that offer that while people type. Not beside `choices`. */
  readonly complete?: (context: CommandContext) => Promise<readonly Completion[]>;
}

/** What people type after a slash. One file each, listed in registry.ts. */
export interface ChatCommand {
  /** Without the slash: small letters and hyphens. */
  readonly name: string;
  /** At most 100 characters. */
  readonly description: string;
  /** Its arguments, e.g. `<name> [prompt]`. */
  readonly usage?: string;
  readonly permission: CommandPermission;
  /** Buttons may stand for it: `jobs:add` is what `/jobs add` is. */
  readonly hasButtons?: true;
  /** Whether what is typed after the name changes nothing: that is for everybody. Left out: it always may. */
  readonly onlyShows?: (line: string) => boolean;
  /** The arguments as fields, in the order in which they are typed. Without them one field holds the whole line. */
  readonly options?: readonly CommandOption[];
  run(line: string, context: CommandContext): Promise<CommandReply>;
}

/** An answer for the person alone, or words that begin a run as if the person had said them. */
export type CommandReply = OutgoingMessage | RunReply | FormReply;

/** What is lacking, in words, and as a form where the platform has forms; `problems` of one that was filled in. */
export interface FormReply {
  readonly message: OutgoingMessage;
  readonly form: Form;
  readonly problems?: FormProblems;
}

export interface RunReply {
  readonly run: string;
  /** The skill that the words call, with what was typed after its name. */
  readonly skill?: CalledSkill;
  /** The agent that answers from here on; the session's own when left out. */
  readonly agent?: string;
  /** Where the words are from, if the person has not written them: an origin, as labels have it. */
  readonly from?: string;
}

export interface ListedTool extends Pick<Tool, "name" | "permission" | "onlyFor" | "capabilities"> {
  /** Where it comes from, as people read it: `built in`, `MCP server docs`. */
  readonly source: string;
}

/** What commands work with, the same for all. A part of the program that brings commands adds its own port here. */
export interface CommandServices extends DecisionScope {
  /** All that there are. */
  readonly commands: readonly ChatCommand[];
  readonly access: AccessRules;
  readonly canSeeChannel: CanSeeChannel;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** The agent that answers in a channel. */
  readonly agentOf: (channelKey: string) => string;
  /** The query settings of a session; those of its place where people have set nothing. */
  readonly configOf: (session: Pick<SessionRow, "channelKey" | "agent" | "settings">) => QueryConfig;
  /** The same of a run, which may hand its work on by what people have set for the session. */
  readonly delegate: (config: QueryConfig, settings: SessionSettings) => QueryConfig;
  /** Hosts that tools may reach; `*` is every public one. */
  readonly allowedHosts: readonly string[];
  readonly models: ModelChoice;
  /** The skills that hold in a thread's channel. */
  readonly skillsOf: (thread: ThreadRef) => Promise<SkillCatalogue>;
  readonly tools: () => Promise<readonly ListedTool[]>;
  /** Why tools are missing that there should be, a sentence each. */
  readonly toolProblems: () => readonly string[];
  readonly jobs: JobControl;
  readonly describe: Describe;
  /** Puts files of a thread's sandbox root back. */
  readonly restoreFiles: RestoreFiles;
}

/** What one use of a command works on. */
export interface CommandContext extends CommandServices {
  /** Null where the thread has none yet. */
  readonly session: SessionRow | null;
  readonly person: Pick<Person, "id" | "name" | "roles">;
  readonly thread: ThreadRef;
  /** A direct message, or the page: whoever writes means the agent, without mentioning it. */
  readonly isDirect: boolean;
  /** What came by the command's form; null when it was typed. */
  readonly filled: FormValues | null;
  readonly channelKey: string;
  /** Begins the session that the thread lacks. Null where there is no thread to begin it in. */
  readonly openSession: (() => Promise<SessionRow>) | null;
  /** Opens another thread in the channel, at a message. Null where a channel has but one. */
  readonly openThread: ((root: OutgoingMessage) => Promise<ThreadRef>) | null;
  /** Posts in a thread, once per `name` and use of the command. */
  readonly say: (thread: ThreadRef, message: OutgoingMessage, name: string) => Promise<void>;
}
