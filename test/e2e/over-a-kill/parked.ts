import type { Gate, Reply } from "../../support/model/model-script.ts";
import { text } from "../../support/model/model-script.ts";
import type { RecordedRequest, Script } from "../../support/model/model-server.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";

/** Channels whose runs have one turn, and whose model has another one to take over. */
export const [ONE_TURN, FALLING] = ["C9001", "C9002"] as const;
/** Channels where people are asked. */
const ASKING = Array.from({ length: 30 }, (_, index) => `C9${String(index + 100)}`);

/** One of them after the other. */
export function asking(): () => string {
  const left = ASKING.values();
  return () => left.next().value ?? "";
}

export const SETTINGS = {
  mode: "agi",
  channels: {
    ...Object.fromEntries(ASKING.map((id) => [`slack:${id}`, { mode: "write" }])),
    [`slack:${ONE_TURN}`]: { maxTurns: 1 },
    [`slack:${FALLING}`]: { fallbackModel: "anthropic/claude-haiku-5-5" },
  },
};

export interface Office extends SlackOffice {
  /** What the model does in threads that begin with these words, and the requests of these. */
  play(words: string, script: Script): () => readonly RecordedRequest[];
  /** A channel where people are asked, in which nobody has written. */
  asking(): string;
}

/** A conversation where the kill finds it. */
export interface Parked {
  /** Just before the kill. */
  readonly before?: () => Promise<void>;
  /** While nothing runs. */
  readonly dead?: () => void;
  /** With the next process, to the conversation's end. */
  readonly goOn: () => Promise<void>;
  /** What is there once nothing goes on any more. */
  readonly over: () => void;
}

/** A model call that the kill cuts off, which is made once more. */
export const cutOff = (gate: Gate): Reply => [gate.part, text("lost")];
