import type { PlatformLimits } from "../../core/protocol/platform.ts";

/**
 * The page is ours, so its limits are, too: they keep a message readable, a browser responsive and
 * the store small. Nothing outside the program imposes them.
 */
export const WEB_LIMITS: PlatformLimits = {
  messageChars: 40_000,
  /** A live message is sent whole with every edit. */
  editChars: 8_000,
  postsPerChannel: { burst: 100, everyMs: 10 },
  /** Twenty edits a second are more than an eye follows; each is a row written. */
  editsPerWorkspace: { burst: 40, everyMs: 50 },
  answerParts: 10,
  attachmentBytes: 20 * 1024 * 1024,
};

/** Files of one message. */
export const MESSAGE_FILES = 10;
/** Threads that the page lists. */
export const LISTED_THREADS = 200;
/** Messages that a thread shows at once; older ones are loaded on demand. */
export const PAGE_MESSAGES = 200;
/** Changes that a page which was away catches up with; beyond, it loads the thread afresh. */
export const CATCH_UP_CHANGES = 500;
/** Messages that `missed` looks at. */
export const MISSED_MESSAGES = 200;
/** Bytes of one frame from the page: a message's text in JSON, escapes included. */
export const FRAME_BYTES = 512 * 1024;
/** Characters of a line that is completed. */
export const COMPLETED_CHARS = 1_000;
/** Frames of one page that wait to be handled; a page that sends faster is cut off. */
export const WAITING_FRAMES = 100;
/** Bytes on their way to one page before frames for it are held back and coalesced. */
export const SOCKET_BYTES = 1024 * 1024;
/** Frames held back for one page; a page that far behind is cut off, and catches up when it comes back. */
export const HELD_FRAMES = 500;
/** Characters of a thread's title. */
export const TITLE_CHARS = 80;
