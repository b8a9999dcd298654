import type { Log } from "../../../core/protocol/log.ts";
import {
  createFrameQueue,
  type FrameSessionOptions,
  frameFailure,
  frameRefusal,
  handleFrame,
} from "../../render/local/frame-session.ts";
import { type ClientFrame, clientFrameSchema, type ServerFrame } from "../wire.ts";
import type { Admit } from "./account-pages.ts";
import { collectOverview, type OverviewQuery, type OverviewSource } from "./overview.ts";

export interface OpenPage {
  push(frame: ServerFrame): void;
  close(code: number, reason: string): void;
}

export interface PageSessionOptions extends Omit<FrameSessionOptions, "place" | "page"> {
  readonly page: OpenPage;
  readonly admit: Admit;
  readonly overview: OverviewSource;
  readonly waiting: OverviewQuery["waiting"];
  /** Subscribes the page to sessions in place of its previous subscription. */
  readonly watch: (watched: Watched) => void;
  /** Called when the page's login session has ended. */
  readonly signedOut: () => void;
  readonly log: Log;
}

/** Returns a function that takes the text of one page's frames and handles them in order. */
export function createPageSession(options: PageSessionOptions): (text: string) => void {
  const { page, admit, overview, waiting, signedOut, watch, clock, log } = options;
  return createFrameQueue({
    page,
    log,
    schema: clientFrameSchema,
    handle: async (frame) => {
      const admission = await admit(frame);
      if (admission.type === "gone") return signedOut();
      if (admission.type === "refused") return page.push(frameRefusal(frame, admission.reason));
      const { place } = admission;
      if (frame.type === "watch") return watch(frame.watched);
      if (frame.type !== "look") return handleFrame(frame, { ...options, place });
      const { threadId, jobId } = frame;
      page.push(await collectOverview(overview, { waiting, place, threadId, jobId }, clock.now()));
    },
    // No answer is needed because the page repeats these frames by itself.
    failure: (frame, error) => (frame.type === "look" || frame.type === "watch" ? null : frameFailure(frame, error)),
  });
}

export type Watched = Extract<ClientFrame, { type: "watch" }>["watched"];
