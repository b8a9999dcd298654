import type { PlatformLimits } from "../../core/protocol/platform.ts";

/**
 * The page is ours, so its limits are, too: they keep a message readable, a browser responsive and
 * the store small. Nothing outside the program imposes them.
 */
export const WEB_LIMITS: PlatformLimits = {
  messageChars: 40_000,
  footerChars: 40_000,
  /** A live message is sent whole with every edit. */
  editChars: 8_000,
  postsPerChannel: { burst: 100, everyMs: 10 },
  /** Twenty edits a second are more than an eye follows; each is a row written. */
  editsPerWorkspace: { burst: 40, everyMs: 50 },
  answerParts: 10,
  attachmentBytes: 20 * 1024 * 1024,
};
