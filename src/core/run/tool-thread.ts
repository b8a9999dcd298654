import type { TurnContext } from "../engine/engine.ts";
import type { MessageFinaliser } from "../people/message-finaliser.ts";
import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { OutgoingMessage } from "../platform/outgoing.ts";
import type { SessionRow } from "../store/sessions.ts";
import { plainLine } from "../text/plain-text.ts";
import type { ToolThread } from "../tool.ts";

export interface ToolThreadOptions {
  readonly session: Pick<SessionRow, "thread" | "task">;
  readonly platform: Pick<ChatPlatform, "fetchFile" | "fetchThread" | "descriptor">;
  readonly context: Pick<TurnContext, "post" | "runId">;
  readonly finaliser: MessageFinaliser;
}

/** A session's thread for its tools. Their posts have a key prefix of their own within the run. */
export function createToolThread({ session, platform, context, finaliser }: ToolThreadOptions): ToolThread {
  const { thread, task } = session;
  return signedBy(task?.agent ?? null, {
    limits: platform.descriptor.limits,
    post: (key, message) => context.post(toolPostKey(key), message),
    close: async (key, last) => {
      await finaliser.close(context.runId, toolPostKey(key), { thread, last });
    },
    fetch: (from, limit, signal) =>
      platform.fetchThread(from === "thread" ? thread : { ...thread, threadId: null }, limit, signal),
    fetchFile: (attachment, signal) =>
      platform.fetchFile(attachment, platform.descriptor.limits.attachmentBytes, signal),
  });
}

/** Prefixes all posts with the name of the sub-agent. Returns the thread itself if `agent` is null. */
function signedBy(agent: string | null, thread: ToolThread): ToolThread {
  if (agent === null) return thread;
  const sign = (message: OutgoingMessage) => ({
    ...message,
    markdown: `**${plainLine(agent, AGENT_CHARS)}** (sub-agent)\n${message.markdown}`,
  });
  const room = AGENT_CHARS + SIGN_CHARS;
  const { messageChars, editChars } = thread.limits;
  return {
    ...thread,
    limits: { ...thread.limits, messageChars: messageChars - room, editChars: editChars - room },
    post: (key, message) => thread.post(key, sign(message)),
    close: (key, last) => thread.close(key, sign(last)),
  };
}

const AGENT_CHARS = 40;
/** Characters of the markup around the name. */
const SIGN_CHARS = 20;

/** The key within a run of what a tool posts under `key`. */
export function toolPostKey(key: string): string {
  return `tool:${key}`;
}
