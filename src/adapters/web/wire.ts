import { z } from "zod";
import type { JobOverview, JobView } from "../../core/jobs/job-control.ts";
import type { BusyState, SessionSummary } from "../../core/protocol/session-summary.ts";
import { idSchema, personFrameSchemas, type ThreadFrame } from "../render/local/wire.ts";
import type { AccountRole } from "./server/logins.ts";
import type { SessionNews } from "./sessions/team-sessions.ts";

/** The frames between page and server that do not concern threads. */

export const lookSchema = z.object({
  type: z.literal("look"),
  /** The thread and the job that the page shows. */
  threadId: idSchema.nullable(),
  jobId: idSchema.nullable(),
});
/** Subscribes the page to sessions of all platforms: to one session, or to the list. */
const watchSchema = z.object({
  type: z.literal("watch"),
  watched: z.discriminatedUnion("kind", [
    z.object({ kind: z.literal("nothing") }),
    z.object({ kind: z.literal("list") }),
    z.object({ kind: z.literal("session"), id: idSchema }),
  ]),
});
export const clientFrameSchema = z.discriminatedUnion("type", [...personFrameSchemas, lookSchema, watchSchema]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

export interface PageJob extends Pick<JobOverview, "id" | "name" | "sentence" | "nextAt" | "isEnabled" | "isDone"> {
  /** One character for each of the job's newest runs, oldest first. */
  readonly strip: string;
  readonly runs: number;
  /** How many of these runs failed. */
  readonly failed: number;
}

/** A job that the page shows beside its threads. */
export type PageJobDetails = PageJob & Omit<JobView, keyof JobOverview> & Pick<JobView, "isFromFile" | "isTheirs">;

/** A feature's panel beside the threads. */
export interface PagePanel {
  readonly title: string;
  readonly lines: readonly PagePanelLine[];
}

export interface PagePanelLine {
  /** Status line, in inline Markdown. */
  readonly line: string;
  /** Time of the next attempt, in milliseconds since the epoch; null if none is planned. */
  readonly nextAt: number | null;
}

/** Answers `look`. `session` null: the thread has none; `job` null: there is none. `busy`: threads with a run that goes on, by id. */
export interface OverviewFrame {
  readonly type: "overview";
  readonly threadId: string | null;
  readonly session: SessionSummary | null;
  readonly busy: Readonly<Record<string, BusyState>>;
  /** Number of sessions on all platforms that this person may see and that wait for people. */
  readonly waiting: number;
  readonly jobs: readonly PageJob[];
  readonly panels: readonly PagePanel[];
  readonly jobId: string | null;
  readonly job: PageJobDetails | null;
}

/** The first frame to the page of a signed-in person. */
export interface YouFrame {
  readonly type: "you";
  readonly name: string;
  readonly personId: string;
  readonly role: AccountRole;
  /** Token that the page sends with every changing request outside the socket. */
  readonly changeToken: string;
}

/** News of the sessions that the page watches. */
export interface SessionsFrame {
  readonly type: "sessions";
  readonly news: SessionNews;
}

export type ServerFrame = ThreadFrame | OverviewFrame | YouFrame | SessionsFrame;
