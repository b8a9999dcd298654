import type { Client } from "discord.js";
import { BoundedMap } from "../../core/bounded-map.ts";
import type { Person } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { DM_WORKSPACE } from "./channels.ts";
import { isDiscordError } from "./errors.ts";
import { person } from "./inbound.ts";
import type { WireMember } from "./message/person-schema.ts";
import type { DiscordRest } from "./rest.ts";

/** How long what Discord said of a person's roles is believed. Milliseconds. */
const BELIEVED_MS = 10 * 60_000;
const REMEMBERED = 1_000;
/** Servers that are asked about one person. */
const MOST_GUILDS = 20;

/**
 * The roles that a person has in the servers the bot shares with them, all together: direct messages
 * come without any. Rejects when Discord cannot be asked: nobody is taken unseen for somebody without roles.
 */
export type MemberEverywhere = (userId: string) => Promise<WireMember>;

export function createMemberEverywhere(
  client: Client<true>,
  rest: Pick<DiscordRest, "member">,
  clock: Clock,
): MemberEverywhere {
  const known = new BoundedMap<string, { readonly member: WireMember; readonly until: number }>(REMEMBERED);
  return async (userId) => {
    const believed = known.get(userId);
    if (believed !== undefined && believed.until > clock.now()) return believed.member;
    const guilds = [...client.guilds.cache.keys()].slice(0, MOST_GUILDS);
    const roles = await Promise.all(guilds.map((guildId) => rolesIn(rest, guildId, userId)));
    const member: WireMember = { nick: null, roles: [...new Set(roles.flat())] };
    known.set(userId, { member, until: clock.now() + BELIEVED_MS });
    return member;
  };
}

/** Somebody of a server, as Discord knows them now; null when they have left it. In direct messages nobody leaves. */
export async function memberIn(
  rest: Pick<DiscordRest, "member" | "user">,
  guildId: string,
  userId: string,
): Promise<Person | null> {
  const user = await rest.user(userId);
  if (guildId === DM_WORKSPACE.id) return person(user, undefined);
  try {
    return person(user, await rest.member(guildId, userId));
  } catch (error) {
    if (isDiscordError(error, "unknownMember")) return null;
    throw error;
  }
}

async function rolesIn(rest: Pick<DiscordRest, "member">, guildId: string, userId: string): Promise<readonly string[]> {
  try {
    return (await rest.member(guildId, userId)).roles;
  } catch (error) {
    if (isDiscordError(error, "unknownMember")) return [];
    throw error;
  }
}
