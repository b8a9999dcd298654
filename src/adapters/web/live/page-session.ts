import type { Log } from "../../../core/protocol/log.ts";
import {
  createFrameQueue,
  type FrameSessionOptions,
  frameFailure,
  handleFrame,
} from "../../render/local/frame-session.ts";
import type { Outbox } from "../../render/local/outbox.ts";
import { parseFrame, WEB_PLACE } from "../inbound.ts";
import type { ServerFrame } from "../wire.ts";
import { lookAround, type OverviewSource } from "./overview.ts";

export interface PageSessionOptions extends Omit<FrameSessionOptions, "place" | "page"> {
  readonly page: Outbox<ServerFrame>;
  readonly overview: Promise<OverviewSource>;
  readonly log: Log;
}

/** What one open page asks for, handled in the order it was asked. Takes a frame's text. */
export function createPageSession(options: PageSessionOptions): (text: string) => void {
  const { page, overview, clock, log } = options;
  return createFrameQueue({
    page,
    log,
    parse: parseFrame,
    handle: async (frame) => {
      if (frame.type !== "look") return handleFrame(frame, { ...options, place: WEB_PLACE });
      page.push(await lookAround(await overview, frame, clock.now()));
    },
    // The page looks again by itself.
    failure: (frame) => (frame.type === "look" ? null : frameFailure(frame)),
  });
}
