/** Limits of the protocol between pages or terminals and the server. They are our own; no platform imposes them. */

/** Maximum number of files in one message. */
export const MESSAGE_FILES = 10;
/** Maximum number of threads that the page lists. */
export const LISTED_THREADS = 200;
/** Maximum number of messages that a thread shows at once; older ones are loaded on demand. */
export const PAGE_MESSAGES = 200;
/** Maximum number of changes sent to a page that was away; after more, it reloads the thread. */
export const CATCH_UP_CHANGES = 500;
/** Maximum number of messages that `missed` reads. */
export const MISSED_MESSAGES = 200;
/** Maximum size of a frame from the page, in bytes: a message's text in JSON, escapes included. */
export const FRAME_BYTES = 512 * 1024;
/** Maximum length of a line to complete, in characters. */
export const COMPLETED_CHARS = 1_000;
/** Maximum number of frames of one page that wait to be handled; a page that sends faster is disconnected. */
export const WAITING_FRAMES = 100;
/** Maximum number of bytes in flight to one page before its frames are held back and coalesced. */
export const SOCKET_BYTES = 1024 * 1024;
/** Maximum number of frames held back for one page; a page further behind is disconnected, and catches up on return. */
export const HELD_FRAMES = 500;
/** Maximum length of a thread's title, in characters. */
export const TITLE_CHARS = 80;
