import type { OutgoingMessage, PostedMessage } from "../../../src/core/platform/outgoing.ts";
import type { ToolThread } from "../../../src/core/tool.ts";
import { idleThread } from "../talk/idle-thread.ts";

/** A thread that records posts, once per key like real threads. */
export function recordingPosts(attachmentBytes = 1_000_000) {
  const posts = new Map<string, OutgoingMessage>();
  const thread: ToolThread = {
    ...idleThread,
    limits: { ...idleThread.limits, attachmentBytes },
    post: async (key, message): Promise<PostedMessage> => {
      if (!posts.has(key)) posts.set(key, message);
      return { platform: "slack", channelId: "C1", messageId: key };
    },
  };
  const files = () => [...posts.values()].flatMap(({ files: sent }) => sent);
  return { thread, posts, files };
}
