/** Bounds of what a person's end and the server say to each other; they are ours, and nothing outside imposes them. */

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
