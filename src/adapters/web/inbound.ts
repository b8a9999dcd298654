import type { JobRequest } from "../../core/jobs/job-control.ts";
import { type LocalChannel, operatorOn, threadIn } from "../render/local/local-channel.ts";
import { TEAM_CHANNEL, WEB } from "./descriptor.ts";

/** The page's only channel on loopback, where whoever holds the token is the operator. */
const OPERATORS: LocalChannel = {
  platform: WEB,
  channel: { id: "main", name: "web", kind: "dm" },
  person: operatorOn(WEB),
};

/** The single channel of everybody who signs in. */
const TEAMS: LocalChannel = { ...OPERATORS, channel: { id: TEAM_CHANNEL, name: "web", kind: "channel" } };

export function webPlace({ isShared }: { readonly isShared: boolean }): LocalChannel {
  return isShared ? TEAMS : OPERATORS;
}

/** A job request made by the page itself. */
export function jobRequest(place: LocalChannel, threadId: string | null, at: number): JobRequest {
  return { person: place.person, thread: threadIn(place, threadId), at };
}
