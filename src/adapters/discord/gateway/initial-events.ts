import type { REST } from "discord.js";
import { z } from "zod";
import type { Log } from "../../../core/protocol/log.ts";

/** The gateway's first events of a session, about the bot and each of its servers, in the form of its payloads. */
export interface InitialEvents {
  readonly ready: {
    readonly guilds: readonly { readonly id: string; readonly unavailable: true }[];
    readonly [key: string]: unknown;
  };
  readonly guilds: readonly object[];
}

/** Servers per response. Source: Discord docs, Get Current User Guilds. */
const PAGE_GUILDS = 200;
/** Number of servers read concurrently. */
const AT_ONCE = 4;

const idSchema = z.looseObject({ id: z.string() });
const guildsSchema = z.array(idSchema);
const threadsSchema = z.object({ threads: z.array(z.unknown()) });
const memberSchema = z.looseObject({ joined_at: z.string() });

/** Reads the same data over REST, for processes without the gateway's events. Rejects with discord.js' errors. */
export async function fetchInitialEvents(rest: REST, log: Log): Promise<InitialEvents> {
  const [bot, application] = await Promise.all([rest.get("/users/@me"), rest.get("/applications/@me")]);
  const { id: botId } = idSchema.parse(bot);
  const ids = await guildIds(rest);
  const guilds: object[] = [];
  const next = ids.values();
  const ask = async () => {
    for (const id of next) {
      try {
        guilds.push(await guildOf(rest, id, botId));
      } catch (error) {
        log.warn({ err: error, guildId: id }, "discord.guild_not_read");
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, ask));
  return {
    ready: {
      v: 10,
      user: bot,
      application,
      guilds: ids.map((id) => ({ id, unavailable: true })),
      session_id: "",
      resume_gateway_url: "",
    },
    guilds,
  };
}

async function guildIds(rest: REST): Promise<string[]> {
  const ids: string[] = [];
  for (;;) {
    const query = new URLSearchParams({ limit: String(PAGE_GUILDS), after: ids.at(-1) ?? "0" });
    const page = guildsSchema.parse(await rest.get("/users/@me/guilds", { query }));
    ids.push(...page.map(({ id }) => id));
    if (page.length < PAGE_GUILDS) return ids;
  }
}

/** A server in the form of GUILD_CREATE, with the fields that are used. */
export async function guildOf(rest: REST, id: string, botId: string): Promise<object> {
  const [guild, channels, active, member] = await Promise.all([
    rest.get(`/guilds/${id}`),
    rest.get(`/guilds/${id}/channels`),
    rest.get(`/guilds/${id}/threads/active`),
    rest.get(`/guilds/${id}/members/${botId}`),
  ]);
  const me = memberSchema.parse(member);
  return {
    ...idSchema.parse(guild),
    channels,
    threads: threadsSchema.parse(active).threads,
    members: [me],
    joined_at: me.joined_at,
    presences: [],
    voice_states: [],
    stage_instances: [],
    guild_scheduled_events: [],
    large: false,
    unavailable: false,
  };
}
