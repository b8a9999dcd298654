import type { PlatformLimits } from "../../core/protocol/platform.ts";

/** Characters of a message's markdown blocks together. Source: Slack docs, Markdown block. */
export const MARKDOWN_CHARS = 12_000;
/** Characters of `text` that chat.update takes; more is `msg_too_long`. Source: Slack docs, chat.update. */
export const UPDATE_TEXT_CHARS = 4_000;
/** Characters of a context block's text. Source: Slack docs, Context block. */
export const CONTEXT_CHARS = 2_000;
/** Characters of a section's text, with room for what is escaped. Source: Slack docs, Section block: 3,000. */
export const SECTION_CHARS = 2_900;
/** Characters of a form's title, of a field's label, and of what travels with a form. Source: Slack docs, Views, Input block. */
export const FORM_TITLE_CHARS = 24;
export const INPUT_LABEL_CHARS = 150;
export const METADATA_CHARS = 3_000;
/** Fields of a form, characters of a field, options of a menu. Source: Slack docs, Views, Plain-text input, Select menu. */
export const FORM_FIELDS = 100;
export const INPUT_CHARS = 3_000;
export const CHOICES = 100;
/** Characters of a button's label. Source: Slack docs, Button element. */
export const LABEL_CHARS = 75;
/** Buttons of one actions block. Source: Slack docs, Actions block. */
export const BUTTONS_PER_ROW = 25;
/** Characters that are read of one message, with all it quotes. Source: Slack docs, chat.postMessage (text). */
export const MESSAGE_CHARS = 40_000;
/** Messages of one page of a thread or channel. Source: Slack docs, conversations.replies. */
export const PAGE_MESSAGES = 200;
/** Pages of a thread that are read at most: the newest of 2,000 messages. */
export const MAX_PAGES = 10;
/** Channels and threads that are read for what was missed; both methods are Tier 3, 50 a minute. Source: Slack docs. */
export const MISSED_CHANNELS = 40;
export const MISSED_THREADS = 40;
/** Channels of one page of a person's, and pages that are read. Source: Slack docs, users.conversations: 999. */
export const LISTED_CHANNELS = 999;
export const LISTED_PAGES = 5;
/** How long one Web API request may take. Milliseconds. */
export const REQUEST_TIMEOUT_MS = 15_000;
/** How long the download of an attachment may take. Milliseconds. */
export const FILE_TIMEOUT_MS = 60_000;
/** Addresses that a download may be sent on to, one after the other. */
export const FILE_REDIRECTS = 5;
/** What a client on signed HTTP may take, whoever it is. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headersMs: number;
  /** The whole request, its body included. */
  readonly requestMs: number;
  readonly connections: number;
}

/** Slack's payloads hold at most some hundred kilobytes; it waits 3 s for an answer. Source: Slack docs, Events API. */
export const HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  headersMs: 10_000,
  requestMs: 20_000,
  connections: 200,
};
/** Slack's clock and ours may differ by this much. Milliseconds. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * `messageChars` leaves room for what neutralised mentions add. Slack makes several blocks of one markdown block (Slack docs,
 * Markdown block), and refuses a message of more than 50 (Slack docs, Blocks): `messageBlocks` leaves five to a footer and buttons. Posts: Slack allows about one a second
 * and channel with short bursts (Slack docs, chat.postMessage). Edits: chat.update is Tier 3, 50 a minute
 * for the whole workspace (Slack docs, Rate limits): 9 at once and one per 1.5 s stay below 50 in any minute.
 */
export const SLACK_LIMITS: PlatformLimits = {
  messageChars: 10_000,
  messageBlocks: 45,
  // Escaped, a character may take five of the block's.
  footerChars: 1_500,
  editChars: 3_500,
  postsPerChannel: { burst: 7, everyMs: 1_000 },
  editsPerWorkspace: { burst: 9, everyMs: 1_500 },
  answerParts: 8,
  /** Ours: what is read into memory of one attachment. Slack itself takes 1 GB. */
  attachmentBytes: 25 * 1024 * 1024,
};

/** Connections that one app may have open. Source: Slack docs, Socket Mode. */
export const SOCKETS = 10;
