import type { PlatformLimits } from "../../core/platform/descriptor.ts";

/** Maximum characters in all markdown blocks of a message together. Source: Slack docs, Markdown block. */
export const MARKDOWN_CHARS = 12_000;
/** Maximum characters of `text` in chat.update; more gives `msg_too_long`. Source: Slack docs, chat.update. */
export const UPDATE_TEXT_CHARS = 4_000;
/** Maximum characters of a context block's text. Source: Slack docs, Context block. */
export const CONTEXT_CHARS = 2_000;
/** Maximum characters of a section's text, less room for escaping. Source: Slack docs, Section block: 3,000. */
export const SECTION_CHARS = 2_900;
/** Maximum characters of a form's title, field labels and metadata. Source: Slack docs, Views, Input block. */
export const FORM_TITLE_CHARS = 24;
export const INPUT_LABEL_CHARS = 150;
export const METADATA_CHARS = 3_000;
/**
 * Maximum fields, characters of a field, options of a menu. Source: Slack docs, Views, Plain-text input, Select menu.
 */
export const FORM_FIELDS = 100;
export const INPUT_CHARS = 3_000;
export const CHOICES = 100;
/** Maximum characters of a button's label. Source: Slack docs, Button element. */
export const LABEL_CHARS = 75;
/** Maximum buttons in one actions block. Source: Slack docs, Actions block. */
export const BUTTONS_PER_ROW = 25;
/** Maximum characters read of one message and its quotes. Source: Slack docs, chat.postMessage (text). */
export const MESSAGE_CHARS = 40_000;
/** Messages per page of a thread or channel. Source: Slack docs, conversations.replies. */
export const PAGE_MESSAGES = 200;
/** Maximum pages read of a thread: 2,000 messages. */
export const MAX_PAGES = 10;
/** Maximum channels and threads searched for missed messages; both methods allow 50 a minute. Source: Slack docs. */
export const MISSED_CHANNELS = 40;
export const MISSED_THREADS = 40;
/** Channels per page of a person's list, and pages read. Source: Slack docs, users.conversations: 999. */
export const LISTED_CHANNELS = 999;
export const LISTED_PAGES = 5;
/** Timeout of one Web API request. In milliseconds. */
export const REQUEST_TIMEOUT_MS = 15_000;
/** Timeout for downloading or uploading a file. In milliseconds. */
export const FILE_TIMEOUT_MS = 60_000;
/** Maximum number of redirects of a download. */
export const FILE_REDIRECTS = 5;
/** Limits for any client of the HTTP listener. */
export interface HttpLimits {
  readonly bodyBytes: number;
  readonly headersMs: number;
  /** For the whole request, including its body. */
  readonly requestMs: number;
  readonly connections: number;
}

/** Slack's payloads are at most a few hundred kilobytes, and Slack waits 3 s. Source: Slack docs, Events API. */
export const HTTP_LIMITS: HttpLimits = {
  bodyBytes: 1024 * 1024,
  headersMs: 10_000,
  requestMs: 20_000,
  connections: 200,
};
/** Tolerance for the difference between Slack's clock and the local one. In milliseconds. */
export const CLOCK_SKEW_MS = 60_000;

/**
 * `messageChars` leaves room for neutralised mentions. Slack turns one markdown block into several blocks (Slack docs,
 * Markdown block) and rejects more than 50 per message (Slack docs, Blocks); `messageBlocks` leaves five for footer and
 * buttons. Posts: about one a second per channel, with short bursts (Slack docs, chat.postMessage). Edits: chat.update
 * is Tier 3, 50 a minute for the whole workspace (Slack docs, Rate limits); a burst of 9 plus one per 1.5 s stays below
 * 50 in any minute.
 */
export const SLACK_LIMITS: PlatformLimits = {
  messageChars: 10_000,
  messageBlocks: 45,
  // An escaped character may take up to five of the block's characters.
  footerChars: 1_500,
  editChars: 3_500,
  postsPerChannel: { burst: 7, everyMs: 1_000 },
  editsPerWorkspace: { burst: 9, everyMs: 1_500 },
  answerParts: 8,
  /** Our own limit, because attachments are read into memory. Slack allows 1 GB. */
  attachmentBytes: 25 * 1024 * 1024,
};

/** Maximum open connections of one app. Source: Slack docs, Socket Mode. */
export const SOCKETS = 10;
