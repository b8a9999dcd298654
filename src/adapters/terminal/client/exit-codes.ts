/** How `deckhand chat` ends; docs/chat.md lists them for people who write scripts. */
export const EXIT = {
  answered: 0,
  /** The run failed, was stopped or ended without an answer; or the program could not be reached. */
  failed: 1,
  /** The person has denied something that the run wanted to do. */
  denied: 3,
  /** Somebody must decide, and nobody is at a terminal, or who is there has left without a decision. */
  needsDecision: 4,
  /** 128 and the signal's number, as shells count. */
  SIGHUP: 129,
  SIGINT: 130,
  /** Whoever reads the answer has gone. */
  brokenPipe: 141,
  SIGTERM: 143,
} as const;
