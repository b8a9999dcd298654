import { ABOUT_MESSAGE } from "../../../core/inbound/prompts.ts";
import type { InboundMessage } from "../../../core/platform/inbound.ts";
import type { Person } from "../../../core/platform/thread.ts";
import { channelKind, type InboundDeps, placeOf } from "../inbound.ts";
import type { HistoryMessage } from "../wire.ts";
import { authorOf } from "./history.ts";
import { readMessage } from "./read-message.ts";

/** Who pointed out a message, when, and by which event. */
interface MessageTrigger {
  readonly key: string;
  readonly person: Person;
  readonly channel: string;
  readonly at: number;
}

/** A request about a message that somebody points out, which is quoted in it. The answer goes to its thread. */
export async function inboundAboutMessage(
  message: HistoryMessage,
  { key, person, channel, at }: MessageTrigger,
  deps: InboundDeps,
): Promise<InboundMessage> {
  const kind = channelKind(channel);
  const [{ quoted, attachments }, place] = await Promise.all([
    deps.serves(person) ? quoteOf(message, deps) : { quoted: [], attachments: [] },
    placeOf({ channel, kind, threadId: message.thread_ts ?? message.ts }, deps),
  ]);
  return {
    kind: "message",
    key,
    ...place,
    person,
    at,
    text: ABOUT_MESSAGE,
    addressed: kind === "dm" ? "dm" : "mention",
    opensThread: false,
    attachments,
    quoted,
    messageId: message.ts,
  };
}

async function quoteOf(
  message: HistoryMessage,
  deps: InboundDeps,
): Promise<Pick<InboundMessage, "quoted" | "attachments">> {
  const { identity, directory } = deps;
  const [author, { text, quoted, files }] = await Promise.all([
    authorOf(message, deps),
    readMessage(message, { directory, botUserId: identity.userId }),
  ]);
  return { quoted: [`${author.name} wrote: ${text}`, ...quoted], attachments: files };
}
