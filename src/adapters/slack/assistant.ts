import { BoundedMap } from "../../core/bounded-map.ts";
import type { InboundEvent, ThreadRef } from "../../core/protocol/platform.ts";
import { commandAsTitle } from "../../core/text/command-as-title.ts";
import { cut } from "../../core/text/plain-text.ts";
import { asking } from "./errors.ts";
import { plainText } from "./message/plain-text.ts";
import type { SlackWeb } from "./web.ts";

/** Prompts that the pane shows. Source: Slack docs, assistant.threads.setSuggestedPrompts. */
const MOST_PROMPTS = 4;

/** What the pane suggests to say: in a new thread, or above all threads. */
export async function suggest(
  web: SlackWeb,
  { channelId, threadId }: ThreadRef,
  prompts: readonly { readonly title: string; readonly message: string }[],
): Promise<void> {
  const [first, ...rest] = prompts.slice(0, MOST_PROMPTS).map(({ title, message }) => ({ title, message }));
  if (first === undefined) return;
  const inThread = threadId === null ? {} : { thread_ts: threadId };
  await asking("suggest what to ask", () =>
    web.assistant.threads.setSuggestedPrompts({ channel_id: channelId, ...inThread, prompts: [first, ...rest] }),
  );
}

/**
 * The line under a thread, also one of a direct message; empty takes it away. Source: Slack docs,
 * assistant.threads.setStatus.
 */
export async function setStatus(
  web: SlackWeb,
  { channelId, threadId }: { readonly channelId: string; readonly threadId: string },
  status: string,
): Promise<void> {
  await asking("show that I am working", () =>
    web.assistant.threads.setStatus({ channel_id: channelId, thread_ts: threadId, status }),
  );
}

/** Ours: a line of the list of threads. Characters. */
const TITLE_CHARS = 60;
/** Threads of the pane in which nobody has said anything yet. */
const BEGUN_KEPT = 1_000;

/** Threads of the pane are listed by their titles: by the words that each began with. */
export class PaneTitles {
  readonly #begun = new BoundedMap<string, true>(BEGUN_KEPT);

  /** The thread that the event begins, and what to call it; null when it is none of the pane's, or has its title. */
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
  await asking("name this thread", () =>
    web.assistant.threads.setTitle({ channel_id: channelId, thread_ts: threadId, title }),
  );
}
