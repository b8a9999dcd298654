import type { PlatformLimits } from "../../core/platform/descriptor.ts";

/**
 * Limits chosen by the program, since no outside platform imposes any. They keep messages readable, browsers
 * responsive and the store small.
 */
export const WEB_LIMITS: PlatformLimits = {
  messageChars: 40_000,
  footerChars: 40_000,
  /** A live message is sent whole with every edit. */
  editChars: 8_000,
  postsPerChannel: { burst: 100, everyMs: 10 },
  /** Twenty edits a second, which is faster than the eye follows, since each edit writes a row. */
  editsPerWorkspace: { burst: 40, everyMs: 50 },
  answerParts: 10,
  attachmentBytes: 20 * 1024 * 1024,
};

/** Maximum size of a change that the page sends over HTTP, in bytes. Files and frames have their own limits. */
export const BODY_BYTES = 1024 * 1024;
