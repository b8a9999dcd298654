import { MessageType } from "discord.js";
import type { PlainWireMessage } from "./message-schema.ts";
import { displayName } from "./person-schema.ts";
import { type Names, readableText } from "./text.ts";

/**
 * Types of system messages that say nothing about the conversation: members, calls, joins, icons, pins, boosts,
 * followed channels, discovery, reminders, subscriptions, requests to speak, incidents. Source: Discord docs, Message
 * Types.
 */
export const IGNORED_MESSAGE_TYPES: ReadonlySet<number> = new Set([
  1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 14, 15, 16, 17, 22, 25, 26, 29, 32, 36, 37, 38, 39, 44, 55,
]);

/** The text of any other system message; null for a message that somebody wrote. */
export function noticeLine(message: PlainWireMessage, names: Names): string | null {
  const who = displayName(message.author, message.member);
  const title = readableText(message.content, message, names);
  switch (message.type) {
    case MessageType.ChannelNameChange:
      return `[${who} changed the name to “${title}”]`;
    case MessageType.ThreadCreated:
      return `[${who} began the thread “${title}”]`;
    case MessageType.StageStart:
      return `[${who} began the stage “${title}”]`;
    case MessageType.StageTopic:
      return `[${who} changed the stage's topic to “${title}”]`;
    case MessageType.StageEnd:
      return `[${who} ended the stage “${title}”]`;
    case MessageType.PollResult:
      return pollResult(message);
    case MessageType.AutoModerationAction:
      return moderated(message, who, names);
    default:
      return null;
  }
}

/** Source: Discord docs, Embed Fields by Embed Type, Poll Result. */
function pollResult({ embeds }: PlainWireMessage): string | null {
  const fields = fieldsOf(embeds);
  const question = fields.get("poll_question_text");
  if (question === undefined) return null;
  const winner = fields.get("victor_answer_text") ?? fields.get("victor_answer_emoji_name");
  const votes = `${fields.get("victor_answer_votes") ?? "?"} of ${fields.get("total_votes") ?? "?"} votes`;
  return `[The poll “${question}” ended${winner === undefined ? " without a winner" : `: “${winner}” with ${votes}`}]`;
}

/** What AutoMod blocked or flagged, with author and rule. Discord's docs do not describe this embed. */
function moderated({ embeds }: PlainWireMessage, who: string, names: Names): string | null {
  const fields = fieldsOf(embeds);
  const rule = fields.get("rule_name");
  if (rule === undefined) return null;
  const channel = names.channel(fields.get("channel_id") ?? "");
  const where = channel === undefined ? "" : ` in #${channel}`;
  return `[AutoMod's rule “${rule}” caught what ${who} wrote${where}: ${embeds[0]?.description ?? ""}]`;
}

function fieldsOf([card]: PlainWireMessage["embeds"]): ReadonlyMap<string, string> {
  return new Map((card?.fields ?? []).map(({ name, value }) => [name, value]));
}
