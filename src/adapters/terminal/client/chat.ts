import type { Duplex, Readable } from "node:stream";
import { type FileToSend } from "./conversation.ts";
import type { ScreenStream } from "./screen.ts";

/** What a person wants of `deckhand chat`. */
export interface ChatRequest {
  /** One message, an answer, and the end; null: a conversation. */
  readonly prompt: string | null;
  /** Who answers; null: whoever answers here. */
  readonly agent: string | null;
  /** Goes on with the newest thread, where there is one. */
  readonly continues: boolean;
  readonly files: readonly FileToSend[];
}

export interface ChatIo {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: ScreenStream;
  readonly stderr: ScreenStream;
  readonly hasColour: boolean;
  /** Calls back for each signal that would end the process. */
  readonly onSignal: (take: (signal: "SIGINT" | "SIGHUP" | "SIGTERM") => void) => void;
}

export interface ChatOptions {
  readonly request: ChatRequest;
  readonly io: ChatIo;
  readonly reach: () => Promise<Duplex | null>;
}

/** A message to another agent than the usual one names it. */
export function addressed(text: string, agent: string | null): string {
  return agent === null ? text : `@${agent} ${text}`;
}
