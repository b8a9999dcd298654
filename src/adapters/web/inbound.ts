import type { JobRequest } from "../../core/jobs/job-control.ts";
import { type ParsedFrame, parsedFrame } from "../render/local/frame-session.ts";
import { type LocalChannel, operatorOn, threadIn } from "../render/local/local-channel.ts";
import { WEB } from "./descriptor.ts";
import { type ClientFrame, clientFrameSchema } from "./wire.ts";

/** The page has one channel, and whoever holds its token is the operator. */
export const WEB_PLACE: LocalChannel = {
  platform: WEB,
  channel: { id: "main", name: "web", kind: "dm" },
  person: operatorOn(WEB),
};

export function parseFrame(text: string): ParsedFrame<ClientFrame> {
  return parsedFrame(text, clientFrameSchema);
}

/** What the page itself asks of the jobs. */
export function jobRequest(threadId: string | null, at: number): JobRequest {
  return { person: WEB_PLACE.person, thread: threadIn(WEB_PLACE, threadId), at };
}
