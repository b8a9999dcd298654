import type { PlatformDescriptor } from "./descriptor.ts";
import type { Attachment, InboundEvent, InboundMessage, Receive } from "./inbound.ts";
import type { OutgoingFile, OutgoingMessage, PostedMessage } from "./outgoing.ts";
import type { Person, ThreadRef } from "./thread.ts";

/** The port between the core and a chat platform. Adapters only translate; their state may be lost at a restart. */
export interface ChatPlatform {
  readonly descriptor: PlatformDescriptor;
  /** Workspaces that Deckhand is currently in, names by id. Absent if the platform has only one. */
  workspaces?(): ReadonlyMap<string, string>;
  /** Connects. Rejects with PlatformError `platform_auth` or `missing_scope` if it can never connect. */
  start(receive: Receive, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  health(): PlatformHealth;
  /** Tries once. The key travels with the message, so that `find` can look for it. */
  post(thread: ThreadRef, message: OutgoingMessage, key: string): Promise<PostedMessage>;
  /** The message posted earlier under the key, or null. `since`: when the intent was written. */
  find(thread: ThreadRef, key: string, since: number): Promise<PostedMessage | null>;
  /** Changes text and buttons. Edits carry no files. */
  edit(posted: PostedMessage, message: OutgoingMessage): Promise<void>;
  /** Marks a person's message: `seen` once it is read, `working` as a sign of life where no post may be made. */
  react(thread: ThreadRef, messageId: string, sign: "seen" | "working"): Promise<void>;
  upload(thread: ThreadRef, file: OutgoingFile, key: string): Promise<PostedMessage>;
  /** Posts a message for one person only, or a direct message if the platform has none. */
  postEphemeral(thread: ThreadRef, personId: string, message: OutgoingMessage): Promise<void>;
  /** Shows a status line beside the thread, if the platform has one. An empty status removes it. */
  showStatus?(thread: ThreadRef, status: string): Promise<void>;
  /** Membership in a channel (no thread); null if the channel is unknown. Absent if everybody is in each channel. */
  membership?(channel: ThreadRef, personId: string): Promise<Membership | null>;
  /** Opens a private thread with the person. Null if `thread` is as open as its channel. Absent if all threads are. */
  openPrivateThread?(thread: ThreadRef, name: string, personId: string): Promise<ThreadRef | null>;
  /** Current data of a person in the thread's workspace; null if they have left. Absent if the platform cannot tell. */
  member?(thread: ThreadRef, personId: string): Promise<Person | null>;
  /** Awaits the link previews of a message, as far as its author may see them. Absent if the platform shows none. */
  previews?(of: LinkingMessage, signal: AbortSignal): Promise<LinkPreviews>;
  /** Fetches and checks an attachment. PlatformError `missing_scope` or `attachment_unreadable`. */
  fetchFile(attachment: Attachment, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** The thread's root and newest messages, oldest first; without a thread id, the channel's newest, if any. */
  fetchThread(thread: ThreadRef, limit: number, signal: AbortSignal): Promise<readonly ThreadMessage[]>;
  /** Events missed while offline, oldest first. */
  missed(query: MissedQuery): Promise<readonly InboundEvent[]>;
}

export interface MissedQuery {
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** Threads that have sessions, newest activity first, because some platforms do not list theirs. */
  readonly known: readonly ThreadRef[];
  readonly signal: AbortSignal;
}

export interface PlatformHealth {
  readonly connected: boolean;
  /** The state in words, for /readyz and the operator's terminal. */
  readonly detail: string;
  /** When the next attempt to connect is due, if one is set. Milliseconds since the epoch. */
  readonly nextTryAt?: number;
  /** Since when no event can have been missed; null if another of the processes receives instead. Milliseconds. */
  readonly receivingSince?: number | null;
}

export interface ThreadMessage {
  readonly messageId: string;
  readonly author: {
    readonly id: string;
    readonly name: string;
    readonly isBot: boolean;
    /** True if this program posted the message. */
    readonly isOurs?: true;
    /** Whether the access rules serve the author. If absent, nobody checked, and the author counts as not served. */
    readonly isServed?: boolean;
  };
  /** The whole text, including quotes, previews and file names. */
  readonly text: string;
  /** True if the text includes other people's words: quotes, forwards or link previews. */
  readonly isQuoting?: boolean;
  /** Files of the message and of what it quotes; absent if there are none. */
  readonly attachments?: readonly Attachment[];
  readonly at: number;
}

/** A person's and Deckhand's access to a channel. */
export interface Membership {
  /** Whether some people of the workspace may not read the channel. */
  readonly isPrivate: boolean;
  /** Whether the person is in the channel. */
  readonly isMember: boolean;
  /** Whether Deckhand may post in the channel. */
  readonly canPost: boolean;
}

/** A message with links in its text. */
export interface LinkingMessage extends Pick<InboundMessage, "thread" | "messageId" | "text" | "at"> {
  readonly author: { readonly id: string };
}

/** Texts of link previews, each naming its source, and pictures. */
export type LinkPreviews = Pick<InboundMessage, "quoted" | "attachments">;
