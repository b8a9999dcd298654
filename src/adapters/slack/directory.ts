import { z } from "zod";
import { cacheAnswers } from "../../core/answer-cache.ts";
import type { Person } from "../../core/platform/thread.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { callSlack, slackErrorName, toPlatformError } from "./errors.ts";
import { LISTED_CHANNELS, LISTED_PAGES } from "./limits.ts";
import { type Node, nodeOf } from "./message/node.ts";
import type { Identity, SlackWeb } from "./web.ts";
import { userSchema } from "./wire.ts";

/** How long data about a person or channel is cached. In milliseconds. */
const CACHE_MS = 10 * 60_000;
const CACHE_SIZE = 2_000;

/** Slack's own bot, which sends reminders and canned replies. */
export const SLACKBOT = "USLACKBOT";

export interface Directory {
  /** Rejects if the lookup fails: nobody counts as a member unchecked. */
  person(userId: string): Promise<Person>;
  /** Like `person`, but null if the account is deactivated or does not exist. */
  member(userId: string): Promise<Person | null>;
  /** Names of people by id, without those that cannot be looked up. */
  namesOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Names of public channels by id. Private ones are left out: who knows an id need not know the name. */
  channelNames(channelIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** Details of a file that messages name only by id, as they do files of other workspaces; empty if unavailable. */
  file(fileId: string): Promise<Node>;
  /** The channel's name, or its id if the name cannot be looked up. */
  channelName(channelId: string): Promise<string>;
  /** Ids of the channels that a person is in, a shorter list than the members of a channel. */
  channelsWith(userId: string): Promise<ReadonlySet<string>>;
}

interface DirectoryParts {
  readonly web: SlackWeb;
  readonly identity: Identity;
  readonly clock: Clock;
  readonly log: Log;
}

/** Looks up people, channels and files, and caches the results. */
export function createDirectory({ web, identity, clock, log }: DirectoryParts): Directory {
  const cache = { forMs: CACHE_MS, most: CACHE_SIZE, clock };
  const people = cacheAnswers((userId: string) => lookUpPerson(web, identity, userId), cache);
  const channels = cacheAnswers((channelId: string) => lookUpChannel(web, channelId), cache);
  const files = cacheAnswers(async (id: string) => nodeOf((await web.files.info({ file: id })).file), cache);
  return {
    // Concurrent questions about one person share a single lookup, which is not cached afterwards.
    channelsWith: cacheAnswers((userId: string) => listChannels(web, userId), { ...cache, isLasting: () => false }),
    file: (fileId) => files(fileId).catch(() => ({})),
    person: async (userId) => (await people(userId)).person,
    async member(userId) {
      const { person, isGone } = await people(userId);
      return isGone ? null : person;
    },
    namesOf: (userIds) => known(userIds, async (id) => (await people(id)).person.name),
    channelNames: async (channelIds) => {
      const found = await known(channelIds, channels);
      return new Map([...found].flatMap(([id, { name, is_private }]) => (is_private ? [] : [[id, name]])));
    },
    async channelName(channelId) {
      try {
        return (await channels(channelId)).name;
      } catch (error) {
        log.warn({ channelId, error: slackErrorName(error) }, "channel_name_unknown");
        return channelId;
      }
    },
  };
}

/** The results by key, without those that cannot be looked up. */
async function known<T>(keys: readonly string[], find: (key: string) => Promise<T>): Promise<ReadonlyMap<string, T>> {
  const found = await Promise.allSettled(keys.map(async (key) => [key, await find(key)] as const));
  return new Map(found.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])));
}

interface Known {
  readonly person: Person;
  readonly isGone: boolean;
}

async function lookUpPerson(web: SlackWeb, identity: Identity, userId: string): Promise<Known> {
  const base = { id: `slack:${userId}`, roles: [] };
  // Slack's API does not report Slackbot as a bot.
  if (userId === SLACKBOT) {
    const person = { ...base, name: "Slackbot", isBot: true, isGuest: false, isExternal: false };
    return { person, isGone: false };
  }
  try {
    const { user } = await web.users.info({ user: userId });
    const known = userSchema.parse(user);
    const person = {
      ...base,
      name: firstWord(known.profile?.display_name, known.profile?.real_name, known.real_name, known.name) ?? userId,
      isBot: known.is_bot ?? false,
      isGuest: (known.is_restricted ?? false) || (known.is_ultra_restricted ?? false),
      isExternal: isExternal(known, identity),
    };
    return { person, isGone: known.deleted ?? false };
  } catch (error) {
    const name = slackErrorName(error);
    // Slack hides some strangers in shared channels.
    if (name === "user_not_found" || name === "user_not_visible") {
      const person = { ...base, name: userId, isBot: false, isGuest: false, isExternal: true };
      return { person, isGone: name === "user_not_found" };
    }
    throw toPlatformError(error, "look up who wrote");
  }
}

/** Members of the same organisation are not external to each other, whichever workspace they are in. */
function isExternal(user: z.infer<typeof userSchema>, { teamId, enterpriseId }: Identity): boolean {
  const { team_id: team, enterprise_user: organisation } = user;
  if (enterpriseId !== undefined && [team, organisation?.enterprise_id].includes(enterpriseId)) return false;
  if (organisation?.teams?.includes(teamId) === true) return false;
  return (user.is_stranger ?? false) || (team !== undefined && team !== teamId);
}

function firstWord(...names: readonly (string | null | undefined)[]): string | undefined {
  return names.find((name) => (name ?? "") !== "") ?? undefined;
}

const channelSchema = z.object({ name: z.string().min(1), is_private: z.boolean().default(false) });

async function lookUpChannel(web: SlackWeb, channelId: string): Promise<z.infer<typeof channelSchema>> {
  const { channel } = await web.conversations.info({ channel: channelId });
  return channelSchema.parse(channel);
}

async function listChannels(web: SlackWeb, userId: string): Promise<ReadonlySet<string>> {
  const asked = { user: userId, types: "public_channel,private_channel,mpim", limit: LISTED_CHANNELS };
  const found = new Set<string>();
  let cursor = "";
  for (let page = 0; page < LISTED_PAGES; page += 1) {
    const more = cursor === "" ? {} : { cursor };
    const listed = await callSlack("see who is in that channel", () => web.users.conversations({ ...asked, ...more }));
    const { channels = [], response_metadata: next } = listed;
    for (const { id } of channels) if (id !== undefined) found.add(id);
    cursor = next?.next_cursor ?? "";
    if (cursor === "") break;
  }
  return found;
}
