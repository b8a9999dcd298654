import { eventKey } from "../../../core/events/event-key.ts";
import { ASK_SHORTCUT } from "../../../core/inbound/prompts.ts";
import type { InboundMessage, Receipt } from "../../../core/platform/inbound.ts";
import type { InboundDeps } from "../inbound.ts";
import { mayPostIn } from "../membership.ts";
import type { SlackWeb } from "../web.ts";
import { type MessageShortcut, messageShortcutSchema } from "../wire.ts";
import { inboundAboutMessage } from "./about-message.ts";

const NOT_HERE = "✗ I am not in this conversation. Invite me here and ask again, or forward the message to me.";

/** A message that somebody asks about through the shortcut; null for another shortcut. */
export async function inboundShortcut(
  { callback_id: id, trigger_id: trigger, user, channel, message }: MessageShortcut,
  deps: InboundDeps,
): Promise<InboundMessage | null> {
  if (id !== ASK_SHORTCUT) return null;
  const person = await deps.directory.person(user.id);
  const pointing = { key: eventKey("slack", "shortcut", trigger), person, channel: channel.id, at: deps.clock.now() };
  return inboundAboutMessage(message, pointing, deps);
}

/** Refuses a shortcut used where the bot cannot answer, since Slack offers them everywhere; null for other payloads. */
export async function refusedShortcut(web: SlackWeb, payload: unknown): Promise<Receipt | null> {
  const shortcut = messageShortcutSchema.safeParse(payload);
  if (!shortcut.success || (await mayPostIn(web, shortcut.data.channel.id))) return null;
  return { type: "refused", reason: NOT_HERE };
}
