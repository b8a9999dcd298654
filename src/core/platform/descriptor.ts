import type { PlatformName, ThreadRef } from "./thread.ts";

/**
 * The differences between platforms, which hold whether or not anybody is connected. One lies beside each adapter; the
 * core asks it, and never compares the names of platforms.
 */
export interface PlatformDescriptor {
  readonly name: PlatformName;
  /** The name within a sentence: `Slack`, `the web page`. */
  readonly title: string;
  readonly limits: PlatformLimits;
  readonly ids: PlatformIds;
  /**
   * Whether the platform is part of this program: it needs no account, connects to nothing, has one channel for one
   * person, and its surface itself shows how to begin.
   */
  readonly isOwn: boolean;
  /** Whether messages there mean the agent without a mention: in direct messages, and on all of an own platform. */
  isDirect(thread: ThreadRef): boolean;
  /** False if a channel is one conversation, in which a reply names the message that it answers. */
  hasThreads(thread: ThreadRef): boolean;
  /** Replaces the workspace id of direct messages that belong to no workspace; absent if each belongs to one. */
  readonly directWorkspace?: string;
  /** Set if threads can be restricted to fewer people than their channel. */
  readonly hasPrivateThreads?: true;
  /** Name of a command as a slash command, since platforms reserve some names. */
  slashName(command: string): string;
  /** URL of a thread; null if it has none. */
  link(thread: ThreadRef): string | null;
}

/** Documented limits of a platform; each has its source where it is defined. */
export interface PlatformLimits {
  /** Maximum length of a message's markdown, in characters. */
  readonly messageChars: number;
  /** Maximum number of headings, rules, tables and texts between them, if the platform limits these per message. */
  readonly messageBlocks?: number;
  /** Maximum length of a message edited during a run, in characters. */
  readonly editChars: number;
  /** Maximum length of the small text below a message, in characters. */
  readonly footerChars: number;
  /** Token buckets: `burst` at once, then one every `everyMs` milliseconds. */
  readonly postsPerChannel: RateBucket;
  readonly editsPerWorkspace: RateBucket;
  /** Maximum number of messages that one answer is split into; a longer one becomes a file. */
  readonly answerParts: number;
  /** False if tables appear as plain Markdown. */
  readonly showsTables?: false;
  readonly attachmentBytes: number;
}

export interface RateBucket {
  readonly burst: number;
  readonly everyMs: number;
}

export interface PlatformIds {
  /** Ids of a person, a role or a workspace; several forms if they differ. */
  readonly people: readonly IdForm[];
  readonly channel: IdForm;
}

/** An id after the platform's name and a colon: a pattern from `^` to `$`, and an example for people. */
interface IdForm {
  readonly id: RegExp;
  readonly written: string;
}

export type Platforms = ReadonlyMap<PlatformName, PlatformDescriptor>;

/** Returns the platform of a name. PlatformError if this version lacks it, since rows may be another version's. */
export type Describe = (platform: PlatformName) => PlatformDescriptor;
