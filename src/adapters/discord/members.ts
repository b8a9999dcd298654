import type { Client } from "discord.js";
import { believing } from "../../core/believed.ts";
import type { Person } from "../../core/protocol/platform.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { DM_WORKSPACE } from "./channels.ts";
import { unlessDiscord } from "./errors.ts";
import { person } from "./inbound.ts";
import { isGuest, type WireMember } from "./message/person-schema.ts";
import type { DiscordRest } from "./rest.ts";

/** How long what Discord said of a person's roles is believed. Milliseconds. */
const BELIEVED_MS = 10 * 60_000;
const REMEMBERED = 1_000;
/** Servers that are asked about one person. */
const MOST_GUILDS = 20;

/**
 * The roles that a person has in the servers the bot shares with them, all together: direct messages
 * come without any. Who is not screened yet in any of them is not here either; undefined for who is in none.
 * Rejects when Discord cannot be asked: nobody is taken unseen for somebody without roles.
 */
export type MemberEverywhere = (userId: string) => Promise<WireMember | undefined>;

export function createMemberEverywhere(
  client: Client<true>,
  rest: Pick<DiscordRest, "member">,
  clock: Clock,
): MemberEverywhere {
  const ask: MemberEverywhere = async (userId) => {
    const guilds = [...client.guilds.cache.keys()];
    const asked = guilds.slice(0, MOST_GUILDS);
    const found = await Promise.all(asked.map((guildId) => memberOf(rest, guildId, userId)));
    const members = found.filter((each) => each !== null);
    const isNowhere = members.length === 0 && asked.length === guilds.length;
    return isNowhere ? undefined : together(members);
  };
  return believing(ask, { forMs: BELIEVED_MS, most: REMEMBERED, clock });
}

function together(members: readonly WireMember[]): WireMember {
  const pending = members.length > 0 && members.every(isGuest);
  return { nick: null, roles: [...new Set(members.flatMap(({ roles }) => roles))], pending, flags: 0 };
}

export interface Members {
  readonly rest: Pick<DiscordRest, "member" | "user">;
  readonly memberEverywhere: MemberEverywhere;
}

/** Somebody of a server, as Discord knows them now; of direct messages, of any. Null when they have left. */
export async function memberIn(
  { rest, memberEverywhere }: Members,
  guildId: string,
  userId: string,
): Promise<Person | null> {
  const isDirect = guildId === DM_WORKSPACE.id;
  const member = isDirect ? await memberEverywhere(userId) : await memberOf(rest, guildId, userId);
  return member === null || member === undefined ? null : person(await rest.user(userId), member);
}

function memberOf(rest: Pick<DiscordRest, "member">, guildId: string, userId: string): Promise<WireMember | null> {
  return unlessDiscord(["unknownMember"], rest.member(guildId, userId));
}
