import { z } from "zod";
import type { JobOverview, JobView } from "../../core/jobs/job-control.ts";
import type { BusyState, SessionSummary } from "../../core/protocol/session-summary.ts";
import { idSchema, personFrameSchemas, type ThreadFrame } from "../render/local/wire.ts";
import type { SessionNews } from "./sessions/team-sessions.ts";

/** What the page says and hears beside its threads. */

export const lookSchema = z.object({
  type: z.literal("look"),
  /** The thread and the job that the page shows. */
  threadId: idSchema.nullable(),
  jobId: idSchema.nullable(),
});
/** The page shows sessions of all platforms, and is to hear of them: of one, or of all in a list. */
const watchSchema = z.object({
  type: z.literal("watch"),
  watched: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("nothing") }),
    z.object({ kind: z.literal("list") }),
    z.object({ kind: z.literal("session"), id: idSchema }),
  ]),
});
/** A frame from the page. */
export const clientFrameSchema = z.discriminatedUnion("type", [...personFrameSchemas, lookSchema, watchSchema]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

export interface PageJob extends Pick<JobOverview, "id" | "name" | "sentence" | "nextAt" | "isEnabled" | "isDone"> {
  /** One sign for each of its newest runs, oldest first. */
  readonly strip: string;
  readonly runs: number;
  /** How many of these runs failed. */
  readonly failed: number;
}

/** A job that the page shows beside its threads. */
export type PageJobDetails = PageJob & Omit<JobView, keyof JobOverview> & Pick<JobView, "isFromFile" | "isTheirs">;

/** What a feature shows beside the threads. */
export interface PagePanel {
  readonly title: string;
  readonly lines: readonly PagePanelLine[];
}

export interface PagePanelLine {
  /** How something stands: inline Markdown. */
  readonly line: string;
  /** When it is tried next; null when nothing waits for that. Milliseconds since the epoch. */
  readonly nextAt: number | null;
}

/** Answers `look`. `session` null: the thread has none; `job` null: there is none. `busy`: threads with a run that goes on, by id. */
export interface OverviewFrame {
  readonly type: "overview";
  readonly threadId: string | null;
  readonly session: SessionSummary | null;
  readonly busy: Readonly<Record<string, BusyState>>;
  /** How many sessions of all platforms wait for people, of those that this person may see. */
  readonly waiting: number;
  readonly jobs: readonly PageJob[];
  readonly panels: readonly PagePanel[];
  readonly jobId: string | null;
  readonly job: PageJobDetails | null;
}

/** The first frame to a page that somebody has signed in on. */
export interface YouFrame {
  readonly type: "you";
  readonly name: string;
  readonly personId: string;
  readonly role: "viewer" | "operator" | "admin";
  /** Goes along with all that changes anything and does not pass the socket. */
  readonly changeToken: string;
}

/** What has become of sessions that the page watches. */
export interface SessionsFrame {
  readonly type: "sessions";
  readonly news: SessionNews;
}

/** A frame to the page. */
export type ServerFrame = ThreadFrame | OverviewFrame | YouFrame | SessionsFrame;
