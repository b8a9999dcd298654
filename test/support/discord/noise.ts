import type { ThreadRef } from "../../../src/core/platform/thread.ts";
import type { Noise } from "../../contracts/platform-harness.ts";
import type { DiscordServer } from "./server.ts";
import { type Channel, type Guild, TYPE, type User } from "./world.ts";

export interface NoisyPlace {
  readonly server: DiscordServer;
  readonly guild: Guild;
  readonly general: Channel;
  readonly ana: User;
  readonly botMention: string;
}

/** Irrelevant deliveries, which must not reach the core. */
export function noiseOf(place: NoisyPlace, channelOf: (thread: ThreadRef) => Channel): readonly Noise[] {
  const { server, ana, guild, general, botMention } = place;
  const { world, people, gateway } = server;
  const text = `${botMention} hello`;
  const inThread = (name: string, act: (channel: Channel) => void): Noise => ({
    name,
    logged: false,
    deliver: async (thread) => act(channelOf(thread)),
  });
  const system = (name: string, type: number) =>
    inThread(name, (channel) => people.say({ channel, user: ana }, text, { type }));
  const malformed = (name: string, t: string, d: unknown): Noise => ({
    name,
    logged: true,
    deliver: async () => gateway.dispatch(t, d),
  });
  return [
    inThread("the bot's own message", (channel) => people.say({ channel, user: world.bot }, text)),
    inThread("another bot's message", (channel) =>
      people.say({ channel, user: world.user("other", { bot: true }) }, text),
    ),
    inThread("a webhook's message", (channel) =>
      people.say({ channel, user: ana }, text, { extra: { webhook_id: world.nextId() } }),
    ),
    inThread("an edit", (channel) =>
      gateway.dispatch("MESSAGE_UPDATE", { id: channel.messages.at(-1)?.id, channel_id: channel.id, content: text }),
    ),
    inThread("a deletion", (channel) =>
      gateway.dispatch("MESSAGE_DELETE", { id: channel.messages.at(-1)?.id, channel_id: channel.id }),
    ),
    inThread("a pin", (channel) => gateway.dispatch("CHANNEL_PINS_UPDATE", { channel_id: channel.id })),
    system("a join", 7),
    system("a person added to the thread", 1),
    system("a renamed thread", 4),
    system("a notice of a pinned message", 6),
    inThread("somebody typing", (channel) =>
      gateway.dispatch("TYPING_START", { channel_id: channel.id, user_id: ana.id, timestamp: 1 }),
    ),
    inThread("an event of a later time", () => gateway.dispatch("TELEPATHY_CREATE", { thought: text })),
    inThread("a new voice channel", () =>
      gateway.dispatch("CHANNEL_CREATE", { id: world.nextId(), type: TYPE.voice, guild_id: guild.id, name: "talk" }),
    ),
    malformed("a message without an author", "MESSAGE_CREATE", {
      id: world.nextId(),
      channel_id: general.id,
      guild_id: guild.id,
      type: 0,
      content: text,
    }),
    malformed("a message that is nothing", "MESSAGE_CREATE", null),
    malformed("an interaction without data", "INTERACTION_CREATE", {
      id: world.nextId(),
      type: 3,
      token: "t",
      application_id: world.bot.id,
      channel_id: general.id,
    }),
    malformed("an interaction of a kind to come", "INTERACTION_CREATE", { id: world.nextId(), type: 99 }),
  ];
}
