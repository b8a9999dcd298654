import type { ThreadRef } from "../../core/protocol/platform.ts";
import { toPlatformError } from "./errors.ts";
import type { SlackWeb } from "./web.ts";

/** Prompts that the pane shows. Source: Slack docs, assistant.threads.setSuggestedPrompts. */
const MOST_PROMPTS = 4;

/** What the pane suggests to say in a new thread. */
export async function suggest(
  web: SlackWeb,
  { channelId, threadId }: ThreadRef,
  prompts: readonly { readonly title: string; readonly message: string }[],
): Promise<void> {
  if (threadId === null) return;
  const [first, ...rest] = prompts.slice(0, MOST_PROMPTS).map(({ title, message }) => ({ title, message }));
  if (first === undefined) return;
  try {
    await web.assistant.threads.setSuggestedPrompts({
      channel_id: channelId,
      thread_ts: threadId,
      prompts: [first, ...rest],
    });
  } catch (error) {
    throw toPlatformError(error, "suggest what to ask");
  }
}

/** A thread of the pane, or of a direct message: only these show a status. */
export type StatusThread = ThreadRef & { readonly threadId: string };

export function showsStatus(thread: ThreadRef): thread is StatusThread {
  return thread.threadId !== null && thread.channelId.startsWith("D");
}

/** The line under a thread of the pane, whose threads are direct messages; empty takes it away. */
export async function setStatus(web: SlackWeb, thread: StatusThread, status: string): Promise<void> {
  const { channelId, threadId } = thread;
  try {
    await web.assistant.threads.setStatus({ channel_id: channelId, thread_ts: threadId, status });
  } catch (error) {
    throw toPlatformError(error, "show that I am working");
  }
}
