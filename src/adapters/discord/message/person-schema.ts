import { z } from "zod";

/** Who does things on Discord, as its payloads say. Names are Discord's. */

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
  /** Has not passed the membership screening yet. */
  pending: z.boolean().optional().catch(true),
  flags: z.number().catch(0),
});

export type WireUser = z.infer<typeof userSchema>;
export type WireMember = z.infer<typeof memberSchema>;

/** Source: Discord docs, Guild Member Flags. Whoever was invited to a voice channel alone. */
const IS_GUEST = 1 << 4;

/** Whether somebody is not quite of the server: not screened yet, or let into one of its channels only. */
export function isGuest({ pending, flags }: WireMember): boolean {
  return pending === true || (flags & IS_GUEST) !== 0;
}

/** What people see as the name: the server's, the person's own, the account's. */
export function displayName(user: WireUser, member: WireMember | undefined): string {
  return member?.nick ?? user.global_name ?? user.username;
}
