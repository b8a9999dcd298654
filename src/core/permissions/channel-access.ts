import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import type { ChatPlatform, Person, PlatformName, Standing, ThreadRef } from "../protocol/platform.ts";
import type { Clock } from "../protocol/runtime.ts";

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

/** Whoever looks. A guest and a stranger see the channels that they are in, and no other. */
export type Onlooker = Pick<Person, "id"> & Partial<Pick<Person, "isGuest" | "isExternal">>;

/** Whether a person may see what is said in a channel; false also where nobody can tell. */
export type CanSeeChannel = (channel: ThreadRef, person: Onlooker) => Promise<boolean>;

/** How long an answer is believed. Milliseconds. */
const BELIEVED_MS = 60_000;
const REMEMBERED = 2_000;

export interface ChannelAccessOptions {
  readonly standingOf: StandingOf;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks each platform once a minute at most for the same channel and person. */
export function createChannelAccess({ standingOf, clock, log }: ChannelAccessOptions): CanSeeChannel {
  const known = new Map<string, { readonly seen: boolean; readonly until: number }>();
  const look = async (channel: ThreadRef, person: Onlooker): Promise<boolean> => {
    if (!person.id.startsWith(`${channel.platform}:`)) return false;
    const standing = await standingOf(channel, person.id);
    if (standing === null) return false;
    const isOpen = !standing.isPrivate && person.isGuest !== true && person.isExternal !== true;
    return isOpen || standing.isMember;
  };
  return async (channel, person) => {
    const key = [channel.platform, channel.channelId, person.id].join(" ");
    const believed = known.get(key);
    if (believed !== undefined && believed.until > clock.now()) return believed.seen;
    try {
      const seen = await look(channel, person);
      known.delete(key);
      known.set(key, { seen, until: clock.now() + BELIEVED_MS });
      const [oldest] = known.keys();
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
      return seen;
    } catch (error) {
      log.warn({ err: toAppError(error), channelId: channel.channelId }, "channel_people_unknown");
      return false;
    }
  };
}
