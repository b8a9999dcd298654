import { z } from "zod";
import type { Log } from "../../core/protocol/log.ts";
import type { Person } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { slackErrorName, toPlatformError } from "./errors.ts";
import type { Identity, SlackWeb } from "./web.ts";
import { userSchema } from "./wire.ts";

/** How long what Slack said of a person or channel is believed. Milliseconds. */
const BELIEVED_MS = 10 * 60_000;
const REMEMBERED = 2_000;

export interface Directory {
  /** Rejects when Slack cannot be asked: nobody is taken for a member unseen. */
  person(userId: string): Promise<Person>;
  /** Names of people; whoever cannot be looked up is left out. */
  namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** The channel's name, or its id when Slack does not say. */
  channelName(channelId: string): Promise<string>;
}

export interface DirectoryOptions {
  readonly web: SlackWeb;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks up people and channels, each once in a while. */
export function createDirectory({ web, identity, clock, log }: DirectoryOptions): Directory {
  const people = createCache((userId) => lookUpPerson(web, identity, userId), clock);
  const channels = createCache((channelId) => lookUpChannel(web, channelId), clock);
  return {
    person: (userId) => people(userId),
    async namesOf(userIds) {
      const found = await Promise.allSettled(userIds.map(async (id) => [id, (await people(id)).name] as const));
      return new Map(found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
    },
    async channelName(channelId) {
      try {
        return await channels(channelId);
      } catch (error) {
        log.warn({ channelId, error: slackErrorName(error) }, "channel_name_unknown");
        return channelId;
      }
    },
  };
}

async function lookUpPerson(web: SlackWeb, identity: Identity, userId: string): Promise<Person> {
  const base = { id: `slack:${userId}`, roles: [] };
  try {
    const { user } = await web.users.info({ user: userId });
    const known = userSchema.parse(user);
    const colleague =
      known.team_id === undefined ||
      known.team_id === identity.teamId ||
      (identity.enterpriseId !== undefined && known.enterprise_user?.enterprise_id === identity.enterpriseId);
    return {
      ...base,
      name: firstWord(known.profile?.display_name, known.profile?.real_name, known.real_name, known.name) ?? userId,
      isBot: known.is_bot ?? false,
      isGuest: (known.is_restricted ?? false) || (known.is_ultra_restricted ?? false),
      isExternal: (known.is_stranger ?? false) || !colleague,
    };
  } catch (error) {
    const name = slackErrorName(error);
    // Slack does not show strangers of shared channels to everybody.
    if (name === "user_not_found" || name === "user_not_visible") {
      return { ...base, name: userId, isBot: false, isGuest: false, isExternal: true };
    }
    throw toPlatformError(error, "look up who wrote");
  }
}

function firstWord(...names: readonly (string | undefined)[]): string | undefined {
  return names.find((name) => name !== undefined && name !== "");
}

async function lookUpChannel(web: SlackWeb, channelId: string): Promise<string> {
  const { channel } = await web.conversations.info({ channel: channelId });
  return z.object({ name: z.string().min(1) }).parse(channel).name;
}

/** Remembers answers for a while, asks once for several at a time, and never remembers a failure. */
function createCache<T>(lookUp: (key: string) => Promise<T>, clock: Clock): (key: string) => Promise<T> {
  const answers = new Map<string, { readonly until: number; readonly answer: Promise<T> }>();
  return async (key) => {
    const known = answers.get(key);
    if (known !== undefined && known.until > clock.now()) return known.answer;
    const answer = lookUp(key);
    answers.delete(key);
    answers.set(key, { until: clock.now() + BELIEVED_MS, answer });
    const [oldest] = answers.keys();
    if (answers.size > REMEMBERED && oldest !== undefined) answers.delete(oldest);
    try {
      return await answer;
    } catch (error) {
      if (answers.get(key)?.answer === answer) answers.delete(key);
      throw error;
    }
  };
}
