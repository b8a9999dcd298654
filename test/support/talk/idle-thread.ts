import type { ToolThread } from "../../../src/core/tool.ts";

/** A thread that nothing should use. */
export const idleThread: ToolThread = {
  limits: { messageChars: 4_000, editChars: 4_000, attachmentBytes: 1_000_000 },
  post: () => Promise.reject(new Error("nothing is posted here")),
  close: () => Promise.reject(new Error("nothing is closed here")),
  fetch: () => Promise.resolve([]),
  fetchFile: () => Promise.reject(new Error("there is no file")),
};
