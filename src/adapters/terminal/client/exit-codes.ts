/** Exit codes of `deckhand chat`, documented for scripts in docs/chat.md. */
export const EXIT = {
  answered: 0,
  /** The run failed, was stopped or gave no answer, or the program could not be reached. */
  failed: 1,
  /** The person denied something that the run wanted to do. */
  denied: 3,
  /** A decision is needed, and nobody is at a terminal, or the person left without deciding. */
  needsDecision: 4,
  /** 128 plus the signal's number, as in shells. */
  SIGHUP: 129,
  SIGINT: 130,
  /** The reader of the output has closed it. */
  brokenPipe: 141,
  SIGTERM: 143,
} as const;
