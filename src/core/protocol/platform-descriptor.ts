import type { PlatformLimits, PlatformName, ThreadRef } from "./platform.ts";

/**
 * What differs between platforms and holds whether or not anybody is connected to them. One stands beside each
 * adapter; the core asks it, and compares no platform's name.
 */
export interface PlatformDescriptor {
  readonly name: PlatformName;
  /** As people read it within a sentence: `Slack`, `the web page`. */
  readonly title: string;
  readonly limits: PlatformLimits;
  /** What settings may name of it. */
  readonly ids: PlatformIds;
  /**
   * The platform is this program's own: it needs no account, connects to nothing, has one channel for one person, and
   * its surface says by itself how to begin.
   */
  readonly isOwn: boolean;
  /** Whether who writes there means the agent without mentioning it: a direct message, or all of a platform of our own. */
  isDirect(thread: ThreadRef): boolean;
  /** False where a channel is one conversation: there a reply names the message that it answers. */
  hasThreads(thread: ThreadRef): boolean;
  /** What stands in place of a workspace's id for direct messages that belong to none; absent: each belongs to one. */
  readonly directWorkspace?: string;
  /** Threads may be for fewer people than their channel; absent: none is. */
  readonly hasPrivateThreads?: true;
  /** What a command is called where it is typed as a slash command: some names a platform keeps to itself. */
  slashName(command: string): string;
  /** Where a thread is to be read; null where it has no address. */
  link(thread: ThreadRef): string | null;
}

/** An id behind the platform's name and a colon: from `^` to `$`, and as people write it. */
interface IdForm {
  readonly id: RegExp;
  readonly written: string;
}

export interface PlatformIds {
  /** A person, a role or a workspace; several forms where they differ. */
  readonly people: readonly IdForm[];
  readonly channel: IdForm;
}

export type Platforms = ReadonlyMap<PlatformName, PlatformDescriptor>;

/** The platform of a name. PlatformError where this version has none of it: rows may be another version's. */
export type Describe = (platform: PlatformName) => PlatformDescriptor;
