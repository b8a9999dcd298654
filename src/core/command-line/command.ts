import type { AgentDefinition, QueryConfig } from "../agents/query-config.ts";
import type { ModelChoice } from "../budget/model-choice.ts";
import type { CalledSkill } from "../events/session-event.ts";
import type { SessionSettings } from "../events/session-settings.ts";
import type { RestoreFiles } from "../history/file-restore.ts";
import type { JobControl } from "../jobs/job-control.ts";
import type { DecisionScope } from "../people/interaction.ts";
import type { AccessRules } from "../permissions/access.ts";
import type { CanSeeChannel } from "../permissions/channel-access.ts";
import type { Describe } from "../platform/descriptor.ts";
import type { Completion } from "../platform/inbound.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import type { Person, ThreadRef } from "../platform/thread.ts";
import type { Form, FormProblems, FormValues } from "../protocol/form.ts";
import type { SkillCatalogue } from "../skills/skills.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { Tool } from "../tool.ts";

/** Who may use a command: everyone who is served, people who may change the session, or admins. */
export type CommandPermission = "everyone" | "people" | "admin";

/** An argument of a command. Platforms with command forms show it as a field; elsewhere it is typed. */
export interface CommandOption {
  /** Lower-case letters, digits and hyphens. */
  readonly name: string;
  /** At most 100 characters. */
  readonly description: string;
  readonly required?: boolean;
  readonly choices?: readonly string[];
  /** If present, the option is a subcommand with these fields, which are typed as flags. */
  readonly options?: readonly CommandOption[];
  /** Returns all possible values, for platforms that suggest them while people type. Not combined with `choices`. */
  readonly complete?: (context: CommandContext) => Promise<readonly Completion[]>;
}

/** A command that people type after a slash. Each is in a file of its own and listed in registry.ts. */
export interface ChatCommand {
  /** Lower-case letters and hyphens, without the slash. */
  readonly name: string;
  /** At most 100 characters. */
  readonly description: string;
  /** Its arguments, such as `<name> [prompt]`. */
  readonly usage?: string;
  readonly permission: CommandPermission;
  /** Whether buttons may stand for the command: `jobs:add` runs `/jobs add`. */
  readonly hasButtons?: true;
  /**
   * Whether the given arguments change nothing, so that everyone may use them. If absent, any use may change something.
   */
  readonly onlyShows?: (line: string) => boolean;
  /** The arguments as fields, in typing order. If absent, one field holds the whole line. */
  readonly options?: readonly CommandOption[];
  run(line: string, context: CommandContext): Promise<CommandReply>;
}

/** A private answer, or words that begin a run as if the person had said them. */
export type CommandReply = OutgoingMessage | RunReply | FormReply;

/**
 * A request for missing arguments, as text and as a form for platforms with forms. `problems` are those of a submitted
 * form.
 */
export interface FormReply {
  readonly message: OutgoingMessage;
  readonly form: Form;
  readonly problems?: FormProblems;
}

export interface RunReply {
  readonly run: string;
  /** The skill that the words call, with its arguments. */
  readonly skill?: CalledSkill;
  /** The agent that answers from now on; the session's own if absent. */
  readonly agent?: string;
  /** The origin of the words, as in labels, if the person did not write them. */
  readonly from?: string;
}

export interface ListedTool extends Pick<Tool, "name" | "permission" | "onlyFor" | "capabilities"> {
  /** Origin for people to read: `built in`, `MCP server docs`. */
  readonly source: string;
}

/** Services that all commands share. Parts of the program that add commands add their own ports here. */
export interface CommandServices extends DecisionScope {
  readonly commands: readonly ChatCommand[];
  readonly access: AccessRules;
  readonly canSeeChannel: CanSeeChannel;
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  readonly agentOf: (channelKey: string) => string;
  readonly configOf: (session: Pick<SessionRow, "channelKey" | "agent" | "settings">) => QueryConfig;
  /** Adapts the settings of a run that may delegate its work, by the session's own settings. */
  readonly delegate: (config: QueryConfig, settings: SessionSettings) => QueryConfig;
  /** Hosts that tools may reach; `*` stands for every public host. */
  readonly allowedHosts: readonly string[];
  readonly models: ModelChoice;
  /** The skills available in a thread's channel. */
  readonly skillsOf: (thread: ThreadRef) => Promise<SkillCatalogue>;
  readonly tools: () => Promise<readonly ListedTool[]>;
  /** Why configured tools are unavailable, one sentence for each. */
  readonly toolProblems: () => readonly string[];
  readonly jobs: JobControl;
  readonly describe: Describe;
  /** Restores files in a thread's sandbox root. */
  readonly restoreFiles: RestoreFiles;
}

export interface CommandContext extends CommandServices {
  /** Null if the thread has no session yet. */
  readonly session: SessionRow | null;
  readonly person: Pick<Person, "id" | "name" | "roles">;
  readonly thread: ThreadRef;
  /** Whether this is a direct message or the web page, where people need not mention the agent. */
  readonly isDirect: boolean;
  /** The submitted values of the command's form; null if the command was typed. */
  readonly filled: FormValues | null;
  readonly channelKey: string;
  /** Opens the session that the thread lacks. Null if there is no thread for it. */
  readonly openSession: (() => Promise<SessionRow>) | null;
  /** Opens another thread in the channel, below a new message. Null if the channel is a single conversation. */
  readonly openThread: ((root: OutgoingMessage) => Promise<ThreadRef>) | null;
  /** Posts in a thread, once per `name` and use of the command. */
  readonly say: (thread: ThreadRef, message: OutgoingMessage, name: string) => Promise<void>;
}
