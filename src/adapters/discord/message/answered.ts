import { isNotThere } from "../history.ts";
import type { DiscordRest } from "../rest.ts";
import { MESSAGE_TYPE, type WireMessage } from "./message-schema.ts";

/** The message with the one that it answers, which Discord leaves out now and then, as of one that is old. */
export async function withAnswered(message: WireMessage, rest: Pick<DiscordRest, "message">): Promise<WireMessage> {
  const { type, message_reference: reference, referenced_message: answered } = message;
  if (type !== MESSAGE_TYPE.reply || answered !== undefined || reference?.message_id === undefined) return message;
  try {
    const found = await rest.message(reference.channel_id ?? message.channel_id, reference.message_id);
    return { ...message, referenced_message: found };
  } catch (error) {
    return isNotThere(error) ? { ...message, referenced_message: null } : message;
  }
}
