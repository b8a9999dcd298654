import { GuildMemberFlags } from "discord.js";
import { z } from "zod";

/** People in Discord's payloads. Names are Discord's. */

export const snowflake = z.string().regex(/^\d{1,20}$/u);

export const userSchema = z.object({
  id: snowflake,
  username: z.string().catch("someone"),
  global_name: z.string().nullish().catch(null),
  bot: z.boolean().optional().catch(true),
});

export const memberSchema = z.object({
  nick: z.string().nullish().catch(null),
  roles: z.array(snowflake).catch([]),
  /** Whether the person has yet to pass the membership screening. */
  pending: z.boolean().optional().catch(true),
  flags: z.number().catch(0),
});

export type WireUser = z.infer<typeof userSchema>;
export type WireMember = z.infer<typeof memberSchema>;

/** Whether somebody is not a full member: still being screened, or invited to a single channel. */
export function isGuest({ pending, flags }: WireMember): boolean {
  return pending === true || (flags & GuildMemberFlags.IsGuest) !== 0;
}

/** The displayed name: the one on the server, the person's own, or the account's. */
export function displayName(user: WireUser, member: WireMember | undefined): string {
  return member?.nick ?? user.global_name ?? user.username;
}
