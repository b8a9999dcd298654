import type { JobRequest } from "../../core/jobs/job-control.ts";
import { type LocalChannel, operatorOn, threadIn } from "../render/local/local-channel.ts";
import { TEAM_CHANNEL, WEB } from "./descriptor.ts";

/** On loopback the page has one channel, and whoever holds its token is the operator. */
const OPERATORS: LocalChannel = {
  platform: WEB,
  channel: { id: "main", name: "web", kind: "dm" },
  person: operatorOn(WEB),
};

/** The one channel of all who sign in. */
const TEAMS: LocalChannel = { ...OPERATORS, channel: { id: TEAM_CHANNEL, name: "web", kind: "channel" } };

export function webPlace({ isShared }: { readonly isShared: boolean }): LocalChannel {
  return isShared ? TEAMS : OPERATORS;
}

/** What the page itself asks of the jobs. */
export function jobRequest(place: LocalChannel, threadId: string | null, at: number): JobRequest {
  return { person: place.person, thread: threadIn(place, threadId), at };
}
