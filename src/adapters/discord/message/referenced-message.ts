import { MessageType } from "discord.js";
import type { Log } from "../../../core/protocol/log.ts";
import { nullOnDiscordError } from "../errors.ts";
import { MESSAGE_GONE } from "../history.ts";
import type { DiscordRest } from "../rest.ts";
import type { WireMessage } from "./message-schema.ts";

/** Adds the message that a reply refers to, which Discord sometimes leaves out, for example if it is old. */
export async function withReferencedMessage(
  message: WireMessage,
  { rest, log }: { readonly rest: Pick<DiscordRest, "message">; readonly log: Pick<Log, "warn"> },
): Promise<WireMessage> {
  const { type, message_reference: reference, referenced_message: answered } = message;
  if (type !== MessageType.Reply || answered !== undefined || reference?.message_id === undefined) return message;
  try {
    const found = rest.message(reference.channel_id ?? message.channel_id, reference.message_id);
    return { ...message, referenced_message: await nullOnDiscordError(MESSAGE_GONE, found) };
  } catch (error) {
    log.warn({ err: error, messageId: message.id }, "discord.answered_message_not_read");
    return message;
  }
}
