import type { ChatPlatform, ThreadRef } from "../protocol/platform.ts";
import type { ToolThread } from "../tool.ts";
import type { TurnContext } from "./engine.ts";

export interface ToolThreadOptions {
  readonly thread: ThreadRef;
  readonly platform: Pick<ChatPlatform, "edit" | "fetchThread" | "limits">;
  readonly context: Pick<TurnContext, "post">;
}

/** A session's thread as its tools use it; their posts have keys of their own beside the run's. */
export function createToolThread({ thread, platform, context }: ToolThreadOptions): ToolThread {
  return {
    limits: platform.limits,
    post: (key, message) => context.post(toolPostKey(key), message),
    edit: (posted, message) => platform.edit(posted, message),
    fetch: (from, limit, signal) =>
      platform.fetchThread(from === "thread" ? thread : { ...thread, threadId: null }, limit, signal),
  };
}

/** The key within its run of what a tool posts under `key`. */
export function toolPostKey(key: string): string {
  return `tool:${key}`;
}
