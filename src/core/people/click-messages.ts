import type { PersonMessageEvent } from "../events/session-event.ts";
import type { InboundAction, Receipt } from "../platform/inbound.ts";
import { reply } from "../platform/replies.ts";
import type { PostRow } from "../store/posts.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { StoreReads } from "../store/store.ts";
import { authorOf } from "./run-people.ts";

/** Turns a click on one of the bot's messages into a message of that person in the session's thread. */
export function messageFromClick(
  text: string,
  { person: { id, name }, at }: InboundAction,
  { thread, post }: Pick<SessionRow, "thread"> & { readonly post: PostRow | null },
): PersonMessageEvent {
  const content = { author: { id, name }, text, quoted: [], attachments: [] };
  const place = { thread, messageId: post?.posted?.messageId ?? "", at, joinsThread: false };
  return { kind: "message", ...content, ...place, addressed: true };
}

/** Answers a click that was already recorded by naming the person whose click counted. */
export async function duplicateClickReply(key: string, { person }: InboundAction, store: StoreReads): Promise<Receipt> {
  const event = await store.inbox.byKey(key);
  const first = event === null ? person : authorOf(event.body);
  return first.id === person.id ? { type: "duplicate" } : reply(`@${first.name} already clicked this.`);
}
