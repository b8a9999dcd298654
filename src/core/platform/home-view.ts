import type { Button } from "./outgoing.ts";
import type { ThreadRef } from "./thread.ts";

/** A person's home page: what can be done, what is under way, what is scheduled, and how to begin. */
export interface HomeView {
  /** Lines of Markdown. */
  readonly introduction: readonly string[];
  readonly sessions: readonly HomeSession[];
  readonly jobs: readonly {
    readonly name: string;
    readonly sentence: string;
    /** Milliseconds since the epoch; null if it will not run again. */
    readonly nextAt: number | null;
    /** One sign for each of the newest runs, oldest first. */
    readonly strip: string;
    /** What the person may do with the job. */
    readonly buttons: readonly Button[];
  }[];
  readonly addJob: Button;
  readonly prompts: readonly Button[];
}

export interface HomeSession {
  readonly thread: ThreadRef;
  /** How the session began, in the person's words. */
  readonly title: string;
  readonly state: "working" | "waiting" | "ended";
  /** When it was last active. Milliseconds since the epoch. */
  readonly at: number;
}
