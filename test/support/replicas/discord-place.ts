import type { DiscordServer } from "../discord/server.ts";
import type { Channel, Message } from "../discord/world.ts";
import type { Place, Shown } from "./place.ts";

export const DISCORD_CHANNELS = 20;

/** Creates a server with channels on the local Discord. */
export function discordChannels({ world }: DiscordServer): readonly Channel[] {
  const guild = world.guild("Harbour");
  for (const name of ["ana", "bob"]) world.join(guild, world.user(name, { globalName: name }));
  return Array.from({ length: DISCORD_CHANNELS }, (_, number) => world.channel(guild, `general-${number}`));
}

export function discordPlace(discord: DiscordServer, channels: readonly Channel[]): Place {
  const { world, people } = discord;
  const users = [...world.users.values()].filter(({ id }) => id !== world.bot.id);
  return {
    name: "discord",
    begin(words, number) {
      const [parent, asker, another] = [
        channels[number % channels.length],
        users[number % users.length],
        users[(number + 1) % users.length],
      ];
      if (parent === undefined || asker === undefined || another === undefined) throw new Error("nobody is there");
      const root = people.say({ channel: parent, user: asker }, `<@${world.bot.id}> ${words}`);
      const channel = () => {
        const found = world.channels.get(root.id);
        if (found === undefined) throw new Error("there is no thread yet");
        return found;
      };
      return Promise.resolve({
        folder: `discord-${parent.id}`,
        isOpen: () => world.channels.has(root.id),
        say(text) {
          people.say({ channel: channel(), user: asker }, text);
          return Promise.resolve();
        },
        byBot: () => byBot(discord, world.channels.get(root.id)?.messages ?? []),
        click(message, button, who = "asker") {
          const held = world.find(root.id, message.id);
          if (held === undefined) throw new Error("there is no such message");
          people.click({ channel: channel(), user: who === "asker" ? asker : another }, held, button);
        },
      });
    },
    all: () =>
      Promise.resolve(
        byBot(
          discord,
          [...world.channels.values()].flatMap(({ messages }) => messages),
        ),
      ),
    rateLimited: () => discord.requests.flatMap(({ kind, status }) => (status === 429 ? [kind] : [])),
  };
}

function byBot({ world }: DiscordServer, messages: readonly Message[]): readonly Shown[] {
  return messages
    .filter(({ author }) => author.id === world.bot.id)
    .map(({ id, content, components }) => ({
      id,
      // Strips the invisible marker by which a message is found again after a crash.
      text: content.replace(/[\u200b\u200c]{48}$/u, ""),
      buttons: components.flatMap((row) => row.components.map(({ custom_id, label }) => ({ id: custom_id, label }))),
    }));
}
