import { BoundedMap } from "../bounded-map.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { ChatPlatform, Person, PlatformName, Standing, ThreadRef } from "../protocol/platform.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { MemberOf } from "./members.ts";

/** How a person stands to a channel; null when nobody knows the channel. */
export type StandingOf = (channel: ThreadRef, personId: string) => Promise<Standing | null>;

/** On a platform that knows no channels of few, everybody is in each. */
const OPEN: Standing = { isPrivate: false, isMember: true, canPost: true };

export function standingOn(platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "standing">>): StandingOf {
  return async (channel, personId) => {
    const platform = platforms.get(channel.platform);
    return platform?.standing === undefined ? OPEN : platform.standing(channel, personId);
  };
}

/** Whether a person may see what is said in a channel; false also where nobody can tell. */
export type CanSeeChannel = (channel: ThreadRef, person: Pick<Person, "id">) => Promise<boolean>;

/** How long an answer is believed. Milliseconds. */
const BELIEVED_MS = 60_000;
const REMEMBERED = 2_000;

export interface ChannelAccessOptions {
  readonly standingOf: StandingOf;
  readonly memberOf: MemberOf;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks each platform once a minute at most for the same channel and person. */
export function createChannelAccess({ standingOf, memberOf, clock, log }: ChannelAccessOptions): CanSeeChannel {
  const known = new BoundedMap<string, { readonly seen: boolean; readonly until: number }>(REMEMBERED);
  const look = async (channel: ThreadRef, { id }: Pick<Person, "id">): Promise<boolean> => {
    if (!id.startsWith(`${channel.platform}:`)) return false;
    const standing = await standingOf(channel, id);
    if (standing === null || standing.isMember) return standing !== null;
    if (standing.isPrivate) return false;
    // Of a workspace's open channels guests and strangers see only those that they are in.
    const member = await memberOf(channel, id);
    return member !== null && member !== undefined && !member.isGuest && !member.isExternal;
  };
  return async (channel, person) => {
    const key = [channel.platform, channel.channelId, person.id].join(" ");
    const believed = known.get(key);
    if (believed !== undefined && believed.until > clock.now()) return believed.seen;
    try {
      const seen = await look(channel, person);
      known.set(key, { seen, until: clock.now() + BELIEVED_MS });
      return seen;
    } catch (error) {
      log.warn({ err: toAppError(error), channelId: channel.channelId }, "channel_people_unknown");
      return false;
    }
  };
}
