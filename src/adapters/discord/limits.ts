import type { PlatformLimits, RateBucket } from "../../core/protocol/platform.ts";

/** Characters (UTF-16 units, the stricter reading) of a message. Source: Discord docs, Create Message. */
export const CONTENT_CHARS = 2_000;
/** Ours: no footer takes more than a fourth of a message, since its text is what people came for. */
export const FOOTER_CHARS = 480;
/** Buttons of one row, and rows of one message. Source: Discord docs, Component Reference, Action Row. */
export const BUTTONS_PER_ROW = 5;
export const ROWS = 5;
/** Characters of a button's label. Source: Discord docs, Component Reference, Button. */
export const LABEL_CHARS = 80;
/** Characters of an id that comes back. Source: Discord docs, Component Reference, Custom ID. */
export const CUSTOM_ID_CHARS = 100;
/** Characters of a dialog's title and of a field's label. Source: Discord docs, Modal, Label. */
export const FORM_LABEL_CHARS = 45;
/** Fields of a dialog; characters of a field, and of what stands in an empty one. Source: Discord docs, Modal, Text Input. */
export const FORM_FIELDS = 5;
export const INPUT_CHARS = 4_000;
export const PLACEHOLDER_CHARS = 100;
/** Choices under an option in which somebody types, and characters of each. Source: Discord docs, Autocomplete, Option Choice. */
export const CHOICES = 25;
export const CHOICE_CHARS = 100;
/** Characters of a nonce. Source: Discord docs, Create Message. */
export const NONCE_CHARS = 25;
/** Characters of a thread's name. Source: Discord docs, Start Thread from Message. */
export const THREAD_NAME_CHARS = 100;
/** Minutes without a message after which a thread leaves the channel list: three days. Source: Discord docs, Thread Metadata. */
export const AUTO_ARCHIVE_MINUTES = 4_320;
/** Messages that one request returns. Source: Discord docs, Get Channel Messages. */
export const PAGE_MESSAGES = 100;
/** How long an interaction's token can be used. Source: Discord docs, Receiving and Responding. Milliseconds. */
export const INTERACTION_TOKEN_MS = 15 * 60_000;
/** A 429 that asks for longer is told to the caller instead of being waited out. Milliseconds. */
export const LONGEST_PACING_MS = 15_000;
/** Some of the 50 that Discord allows all in all (Discord docs, Rate Limits): its seconds do not begin with ours. */
export const REQUESTS_PER_SECOND = 45;
/**
 * What several processes keep to together: at most 5 posts and 5 edits in any 5 s of a channel (as the headers of its buckets
 * say) and 50 requests in any second (Discord docs, Rate Limits), with some room for requests that overtake each other.
 */
export const SHARED_POSTS: RateBucket = { burst: 3, everyMs: 1_750 };
export const SHARED_EDITS: RateBucket = { burst: 2, everyMs: 1_300 };
export const SHARED_REQUESTS: RateBucket = { burst: 8, everyMs: 25 };
/** How long one request may take before it is given up. Milliseconds. */
export const REQUEST_TIMEOUT_MS = 10_000;
/** Channels and messages of each that `missed` looks at: it answers late, it does not read an archive. */
export const MISSED_CHANNELS = 50;
export const MISSED_MESSAGES = 100;
/** Servers that the bot was added to longer ago than this when it starts are no news. Milliseconds. */
export const JOINED_LATELY_MS = 24 * 60 * 60_000;
/** Pages of our own messages that `find` looks through. */
export const FIND_PAGES = 10;
/** Discord's clock and ours may differ by this much when `find` and `missed` turn a time into an id. Milliseconds. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * `messageChars` leaves 200 of the 2,000 characters to the footer and to the mark that a post is
 * recognised by. Edits are limited to 5 in 5 s per channel (as the headers of its buckets say), which
 * discord.js paces by itself; every thread is a channel of its own, so what all of them share is the
 * global limit of 50 requests a second (Discord docs, Rate Limits), of which edits take a fifth: when many
 * runs end together, their answers need the rest.
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
