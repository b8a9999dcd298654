import type { PlatformLimits, RateBucket } from "../../core/platform/descriptor.ts";

/** Maximum characters of a message, in UTF-16 units as the stricter reading. Source: Discord docs, Create Message. */
export const CONTENT_CHARS = 2_000;
/** Our own limit: about a fourth of a message, since its text matters more. */
export const FOOTER_CHARS = 480;
/** Maximum buttons per row, and rows per message. Source: Discord docs, Component Reference, Action Row. */
export const BUTTONS_PER_ROW = 5;
export const ROWS = 5;
/** Maximum characters of a button's label. Source: Discord docs, Component Reference, Button. */
export const LABEL_CHARS = 80;
/** Maximum characters of a component's custom id. Source: Discord docs, Component Reference, Custom ID. */
export const CUSTOM_ID_CHARS = 100;
/** Maximum characters of a dialog's title and a field's label. Source: Discord docs, Modal, Label. */
export const FORM_LABEL_CHARS = 45;
/** Maximum fields of a dialog, characters of a field and a placeholder. Source: Discord docs, Modal, Text Input. */
export const FORM_FIELDS = 5;
export const INPUT_CHARS = 4_000;
export const PLACEHOLDER_CHARS = 100;
/** Maximum bytes of the files of one request: 25 MiB less room for the rest. Source: Discord docs, Create Message. */
export const FILES_BYTES = 24 * 1024 * 1024;
/** Maximum choices under an option, and characters of each. Source: Discord docs, Autocomplete, Option Choice. */
export const CHOICES = 25;
export const CHOICE_CHARS = 100;
/** Maximum characters of a nonce. Source: Discord docs, Create Message. */
export const NONCE_CHARS = 25;
/** Maximum characters of a thread's name. Source: Discord docs, Start Thread from Message. */
export const THREAD_NAME_CHARS = 100;
/** Inactive minutes until a thread leaves the channel list: three days. Source: Discord docs, Thread Metadata. */
export const AUTO_ARCHIVE_MINUTES = 4_320;
/** Maximum messages per request. Source: Discord docs, Get Channel Messages. */
export const PAGE_MESSAGES = 100;
/** Lifetime of an interaction's token. Source: Discord docs, Receiving and Responding. In milliseconds. */
export const INTERACTION_TOKEN_MS = 15 * 60_000;
/** A rate limit longer than this is reported to the caller instead of being waited out. In milliseconds. */
export const LONGEST_PACING_MS = 15_000;
/** Below Discord's global limit of 50 (Discord docs, Rate Limits), because its seconds are not aligned with ours. */
export const REQUESTS_PER_SECOND = 45;
/**
 * Limits shared by all processes: at most 5 posts and 5 edits in any 5 s per channel (by the headers of its buckets)
 * and 50 requests in any second (Discord docs, Rate Limits), less a margin for requests that overtake each other.
 */
export const SHARED_POSTS: RateBucket = { burst: 3, everyMs: 1_750 };
export const SHARED_EDITS: RateBucket = { burst: 2, everyMs: 1_300 };
export const SHARED_REQUESTS: RateBucket = { burst: 8, everyMs: 25 };
/** Timeout of one request. In milliseconds. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Maximum channels, and messages in each, read by `missed`, which answers late messages and does not read archives. */
export const MISSED_CHANNELS = 50;
export const MISSED_MESSAGES = 100;
/** A server that the bot joined longer ago than this gets no introduction at the start. In milliseconds. */
export const JOINED_LATELY_MS = 24 * 60 * 60_000;
/** Maximum pages of messages searched by `find`. */
export const FIND_PAGES = 10;
/** Tolerance for the difference between Discord's clock and the local one, where times become ids. In milliseconds. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * `messageChars` leaves 200 of 2,000 characters for the footer and the mark that identifies a post. Edits are limited
 * to 5 in 5 s per channel (according to the headers of its buckets), which discord.js paces by itself. Every thread is
 * its own channel, so all edits share only the global limit of 50 requests a second (Discord docs, Rate Limits). Edits
 * use a fifth of it; if many runs end together, their answers need the rest.
 */
export const DISCORD_LIMITS: PlatformLimits = {
  messageChars: 1_800,
  footerChars: FOOTER_CHARS,
  editChars: 1_800,
  postsPerChannel: { burst: 5, everyMs: 1_000 },
  editsPerWorkspace: { burst: 10, everyMs: 100 },
  answerParts: 20,
  showsTables: false,
  /** Source: Discord docs, Uploading Files (the default without boosts). */
  attachmentBytes: 10 * 1024 * 1024,
};
