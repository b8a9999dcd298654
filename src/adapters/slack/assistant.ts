import { BoundedMap } from "../../core/bounded-map.ts";
import type { InboundEvent } from "../../core/platform/inbound.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { commandAsTitle } from "../../core/text/command-as-title.ts";
import { cut } from "../../core/text/plain-text.ts";
import { callSlack } from "./errors.ts";
import { plainText } from "./message/plain-text.ts";
import type { SlackWeb } from "./web.ts";

/** Maximum number of prompts that the pane shows. Source: Slack docs, assistant.threads.setSuggestedPrompts. */
const MAX_PROMPTS = 4;

/** Suggests prompts in the pane, for a new thread or for the pane as a whole. */
export async function suggestPrompts(
  web: SlackWeb,
  { channelId, threadId }: ThreadRef,
  prompts: readonly { readonly title: string; readonly message: string }[],
): Promise<void> {
  const [first, ...rest] = prompts.slice(0, MAX_PROMPTS).map(({ title, message }) => ({ title, message }));
  if (first === undefined) return;
  const inThread = threadId === null ? {} : { thread_ts: threadId };
  await callSlack("suggest what to ask", () =>
    web.assistant.threads.setSuggestedPrompts({ channel_id: channelId, ...inThread, prompts: [first, ...rest] }),
  );
}

/**
 * Sets the status line under a thread, in direct messages, too; an empty status removes it. Source: Slack docs,
 * assistant.threads.setStatus.
 */
export async function setStatus(
  web: SlackWeb,
  { channelId, threadId }: { readonly channelId: string; readonly threadId: string },
  status: string,
): Promise<void> {
  await callSlack("show that I am working", () =>
    web.assistant.threads.setStatus({ channel_id: channelId, thread_ts: threadId, status }),
  );
}

/** Our own limit: one line in the list of threads. In characters. */
const TITLE_CHARS = 60;
/** Maximum number of remembered pane threads without a message. */
const BEGUN_KEPT = 1_000;

/** Gives each thread of the pane the title under which it is listed: the words it began with. */
export class PaneTitles {
  readonly #begun = new BoundedMap<string, true>(BEGUN_KEPT);

  /** The thread that the event begins, with its title; null if it is not in the pane, or has a title already. */
  of(event: InboundEvent): { readonly thread: ThreadRef; readonly title: string } | null {
    const { thread, channel } = event;
    const key = `${thread.channelId} ${thread.threadId}`;
    if (event.kind === "surface" && event.surface === "assistant") this.#begun.set(key, true);
    if (event.kind !== "message" || channel.kind !== "dm") return null;
    if (!event.opensThread && !this.#begun.has(key)) return null;
    this.#begun.delete(key);
    const title = cut(commandAsTitle(plainText(event.text).replaceAll(/\s+/gu, " ").trim()), TITLE_CHARS);
    return title === "" ? null : { thread, title };
  }
}

export async function setTitle(web: SlackWeb, { channelId, threadId }: ThreadRef, title: string): Promise<void> {
  if (threadId === null) return;
  await callSlack("name this thread", () =>
    web.assistant.threads.setTitle({ channel_id: channelId, thread_ts: threadId, title }),
  );
}
