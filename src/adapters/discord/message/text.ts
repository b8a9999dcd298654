import { utcDay, utcMinute } from "../../../core/text/utc.ts";
import { withoutMark } from "../format.ts";
import type { WireContent } from "./message-schema.ts";
import { displayName } from "./person-schema.ts";

/** Names for the ids in texts, and which ids mean the bot. */
export interface Names {
  readonly botId: string;
  /** The role of the bot itself, which people sometimes pick instead of the bot. */
  isBotRole(roleId: string): boolean;
  role(roleId: string): string | undefined;
  /** Name of a person whom the message itself does not name. */
  person?(userId: string): string | undefined;
  channel(channelId: string): string | undefined;
  sound(soundId: string): string | undefined;
}

/** The names that a message itself provides for the ids in its texts. */
type Named = Pick<WireContent, "mentions" | "mention_channels" | "soundboard_sounds">;

/** Each begins at a `<` and is bounded, so matching takes linear time. Source: Discord docs, Message Formatting. */
const BOT_MENTION = /[ \t]?<@[!&]?(\d{1,20})>/gu;
const PERSON = /<@!?(\d{1,20})>/gu;
const ROLE = /<@&(\d{1,20})>/gu;
const CHANNEL = /<#(\d{1,20})>/gu;
const EMOJI = /<a?(:\w{1,64}:)\d{1,20}>/gu;
const COMMAND = /<(\/[^<>:\n]{1,110}):\d{1,20}>/gu;
const TIME = /<t:(-?\d{1,13})(?::([tTdDfFsSR]))?>/gu;
/** A sound of a server's soundboard. */
const SOUND = /<sound:\d{1,20}:(\d{1,20})>/gu;
const GUIDE = /<id:(customize|browse|guide|linked-roles)(?::\d{1,20})?>/gu;

const GUIDES: Readonly<Record<string, string>> = {
  customize: "Channels & Roles",
  browse: "Browse Channels",
  guide: "Server Guide",
  "linked-roles": "Linked Roles",
};

/** A text in readable form, with names in place of ids, and times written out. */
export function readableText(content: string, named: Named, names: Names): string {
  const { mentions, mention_channels: channels, soundboard_sounds: sounds } = named;
  return withoutMark(content)
    .replaceAll(PERSON, (_mention, id: string) => {
      const mentioned = mentions.find((mention) => mention.id === id);
      return `@${mentioned === undefined ? (names.person?.(id) ?? id) : displayName(mentioned, mentioned.member)}`;
    })
    .replaceAll(ROLE, (_mention, id: string) => `@${names.role(id) ?? id}`)
    .replaceAll(CHANNEL, (_mention, id: string) => {
      const name = names.channel(id) ?? channels.find((channel) => channel.id === id)?.name;
      return `#${name || id}`;
    })
    .replaceAll(EMOJI, "$1")
    .replaceAll(COMMAND, "$1")
    .replaceAll(
      TIME,
      (written, seconds: string, style: string | undefined) => readableTime(Number(seconds) * 1_000, style) ?? written,
    )
    .replaceAll(SOUND, (_sound, id: string) => {
      const name = sounds.find(({ sound_id }) => sound_id === id)?.name || names.sound(id);
      return name === undefined ? "[sound]" : `[sound: ${name}]`;
    })
    .replaceAll(GUIDE, (_written, guide: string) => GUIDES[guide] ?? guide)
    .trim();
}

/** The same, without the mention of the bot. */
export function readableTextToBot(content: string, named: Named, names: Names): string {
  const others = withoutMark(content).replaceAll(BOT_MENTION, (mention, id: string) =>
    id === names.botId || (mention.includes("&") && names.isBotRole(id)) ? "" : mention,
  );
  return readableText(others.trim(), named, names);
}

/** A time in UTC, from milliseconds since the epoch, or a date, depending on the style. Null if it is not valid. */
export function readableTime(at: number, style?: string): string | null {
  if (Number.isNaN(new Date(at).getTime())) return null;
  return style === "d" || style === "D" ? utcDay(at) : `${utcMinute(at)} UTC`;
}
