import type { Duplex, Readable } from "node:stream";
import type { OutgoingFile } from "../../../core/platform/outgoing.ts";
import { visibleText } from "../../../core/text/plain-text.ts";
import type { Conversation } from "./conversation.ts";
import type { ScreenStream } from "./screen.ts";

/** The arguments of `deckhand chat`. */
export interface ChatRequest {
  /** A single message to answer; null for a conversation. */
  readonly prompt: string | null;
  /** The agent to answer; null for the default one. */
  readonly agent: string | null;
  /** Whether to continue the newest thread, if there is one. */
  readonly continues: boolean;
  readonly files: readonly OutgoingFile[];
  /** Directory for the files of answers; null for none. */
  readonly saveTo: string | null;
}

export type EndSignal = "SIGINT" | "SIGHUP" | "SIGTERM";

export interface ChatIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  readonly hasColour: boolean;
  /** Calls back for each signal that would end the process. */
  readonly onSignal: (take: (signal: EndSignal) => void) => void;
}

export interface ChatOptions {
  readonly request: ChatRequest;
  readonly io: ChatIo;
  readonly reach: () => Promise<Duplex | null>;
}

/** How long the program may take to list its agents. In milliseconds. */
const AGENTS_MS = 10_000;

/** The error for an unknown agent; null if the agent exists, or the program does not list its agents. */
export async function agentProblem(
  name: string | null,
  conversation: Pick<Conversation, "complete">,
): Promise<string | null> {
  if (name === null) return null;
  const namesFrom = async (typed: string) =>
    (await conversation.complete(`@${typed}`, AGENTS_MS)).map(({ text }) => text.trim().replace(/^@/u, ""));
  if ((await namesFrom(name)).includes(name.toLowerCase())) return null;
  const known = await namesFrom("");
  if (known.length === 0) return null;
  return `✗ --agent: there is no agent "${visibleText(name)}". Known: ${known.join(", ")}.`;
}

/** A message, with a mention of the agent if it is not the default one. */
export function withAgentMention(text: string, agent: string | null): string {
  return agent === null ? text : `@${agent} ${text}`;
}
