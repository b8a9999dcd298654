import type { SlackMessage, SlackWorkspace } from "./slack-model.ts";

/** A method's answer: its fields, or the name of its error. */
export type Answer = Readonly<Record<string, unknown>> | string;

export type Args = Readonly<Record<string, string>>;

export interface MethodContext {
  readonly workspace: SlackWorkspace;
  /** Origin of this server, e.g. `http://127.0.0.1:1234`. */
  readonly origin: string;
  /** Notifies the app of a message of its own, as Slack does. */
  echo(message: SlackMessage): void;
}

export type Method = (args: Args, context: MethodContext) => Answer;
