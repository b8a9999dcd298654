import type { Client } from "discord.js";
import { cacheAnswers } from "../../core/answer-cache.ts";
import type { Person } from "../../core/platform/thread.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { DM_WORKSPACE } from "./channels.ts";
import { nullOnDiscordError } from "./errors.ts";
import { toPerson } from "./inbound.ts";
import { isGuest, type WireMember } from "./message/person-schema.ts";
import type { DiscordRest } from "./rest.ts";

/** How long a person's roles are cached. In milliseconds. */
const CACHE_MS = 10 * 60_000;
/** The same for somebody who is no full member of any server, since they may become one at any time. In milliseconds. */
const GUEST_CACHE_MS = 30_000;
const CACHE_SIZE = 1_000;
/** Maximum number of servers in which one person is looked up. */
const MAX_GUILDS = 20;

/**
 * The union of a person's roles in all servers shared with the bot, because direct messages name none. A person still
 * being screened in all of these is pending; undefined if the person is in none. Rejects if a lookup fails, because
 * nobody counts as having no roles unchecked.
 */
export type MemberAcrossGuilds = (userId: string) => Promise<WireMember | undefined>;

export function createMemberAcrossGuilds(
  client: Client<true>,
  rest: Pick<DiscordRest, "member">,
  clock: Clock,
): MemberAcrossGuilds {
  const ask: MemberAcrossGuilds = async (userId) => {
    const guilds = [...client.guilds.cache.keys()];
    const asked = guilds.slice(0, MAX_GUILDS);
    const found = await Promise.all(asked.map((guildId) => memberOf(rest, guildId, userId)));
    const members = found.filter((each) => each !== null);
    const isNowhere = members.length === 0 && asked.length === guilds.length;
    return isNowhere ? undefined : mergedMember(members);
  };
  const askGently = cacheAnswers(ask, { forMs: GUEST_CACHE_MS, most: CACHE_SIZE, clock });
  const isLasting = (member: WireMember | undefined) => member !== undefined && !isGuest(member);
  return cacheAnswers(askGently, { forMs: CACHE_MS, most: CACHE_SIZE, isLasting, clock });
}

function mergedMember(members: readonly WireMember[]): WireMember {
  const pending = members.length > 0 && members.every(isGuest);
  return { nick: null, roles: [...new Set(members.flatMap(({ roles }) => roles))], pending, flags: 0 };
}

export interface Members {
  readonly rest: Pick<DiscordRest, "member" | "user">;
  readonly memberAcrossGuilds: MemberAcrossGuilds;
}

/** The current state of a member of a server, or, for direct messages, of any server. Null if they left. */
export async function memberIn(
  { rest, memberAcrossGuilds }: Members,
  guildId: string,
  userId: string,
): Promise<Person | null> {
  const isDirect = guildId === DM_WORKSPACE.id;
  const member = isDirect ? await memberAcrossGuilds(userId) : await memberOf(rest, guildId, userId);
  return member === null || member === undefined ? null : toPerson(await rest.user(userId), member);
}

/** A member of a server; null if the person has left, or the account is deleted. */
export function memberOf(
  rest: Pick<DiscordRest, "member">,
  guildId: string,
  userId: string,
): Promise<WireMember | null> {
  return nullOnDiscordError(["UnknownMember", "UnknownUser"], rest.member(guildId, userId));
}
