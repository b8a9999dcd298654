import type { RecordedRequest, Script } from "../../support/model/model-server.ts";
import { oneByOne } from "../../support/talk/one-by-one.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";

/** A channel whose runs have one turn, and one whose model has a fallback. */
export const [ONE_TURN, FALLING] = ["C9001", "C9002"] as const;
/** Channels in which tools need approval. */
const ASKING = Array.from({ length: 30 }, (_, index) => `C9${String(index + 100)}`);

/** Gives out these channels one by one. */
export const asking = () => oneByOne(ASKING);

export const SETTINGS = {
  mode: "agi",
  channels: {
    ...Object.fromEntries(ASKING.map((id) => [`slack:${id}`, { mode: "write" }])),
    [`slack:${ONE_TURN}`]: { maxTurns: 1 },
    [`slack:${FALLING}`]: { fallbackModel: "anthropic/claude-haiku-5-5" },
  },
};

export interface Office extends SlackOffice {
  /**
   * Scripts the model in threads that begin with these words; the returned function gives the requests of those
   * threads.
   */
  play(words: string, script: Script): () => readonly RecordedRequest[];
  /** A channel in which tools need approval and nobody has written. */
  asking(): string;
}

/** A conversation at the point where the kill hits it. */
export interface Parked {
  /** Called just before the kill. */
  readonly before?: () => Promise<void>;
  /** Called while no process runs. */
  readonly dead?: () => void;
  /** Called once the next process runs; resolves at the end of the conversation. */
  readonly goOn: () => Promise<void>;
  /** Checks the conversation once all work has ended. */
  readonly over: () => void;
}
