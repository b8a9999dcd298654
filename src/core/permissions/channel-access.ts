import { cacheAnswers } from "../answer-cache.ts";
import type { ChatPlatform, Membership } from "../platform/chat-platform.ts";
import type { Person, PlatformName, ThreadRef } from "../platform/thread.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { Clock } from "../protocol/runtime.ts";
import type { MemberOf } from "./members.ts";

/** A person's membership of a channel; null if that is unknown, for example while the platform is not connected. */
export type MembershipOf = (channel: ThreadRef, personId: string) => Promise<Membership | null>;

/** Membership on a platform whose channels are open to everybody. */
const OPEN: Membership = { isPrivate: false, isMember: true, canPost: true };

export function membershipOn(platforms: ReadonlyMap<PlatformName, Pick<ChatPlatform, "membership">>): MembershipOf {
  return async (channel, personId) => {
    const platform = platforms.get(channel.platform);
    if (platform === undefined) return null;
    return platform.membership === undefined ? OPEN : platform.membership(channel, personId);
  };
}

/** Whether a person may see what is said in a channel. False if that cannot be determined. */
export type CanSeeChannel = (channel: ThreadRef, person: Pick<Person, "id">) => Promise<boolean>;

/** How long an answer is cached. Milliseconds. */
const CACHED_MS = 60_000;
const MAX_CACHED = 2_000;

/** Asks a platform at most once a minute about the same channel and person. */
export function createChannelAccess(
  membershipOf: MembershipOf,
  memberOf: MemberOf,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): CanSeeChannel {
  const look = async (channel: ThreadRef, personId: string): Promise<boolean> => {
    if (!personId.startsWith(`${channel.platform}:`)) return false;
    const membership = await membershipOf(channel, personId);
    if (membership === null || membership.isMember) return membership !== null;
    if (membership.isPrivate) return false;
    // Guests and external people see an open channel only if they are in it.
    const member = await memberOf(channel, personId);
    return member !== null && member !== undefined && !member.isGuest && !member.isExternal;
  };
  const sees = cacheAnswers(look, { forMs: CACHED_MS, most: MAX_CACHED, clock });
  return async (channel, { id }) => {
    try {
      // Cached per channel and not per thread, since the check is about the channel; not all who see it see each
      // thread.
      return await sees({ ...channel, threadId: null }, id);
    } catch (error) {
      log.warn({ err: toAppError(error), channelId: channel.channelId }, "channel_people_unknown");
      return false;
    }
  };
}
