import { z } from "zod";
import type { Form, FormProblems, FormValues } from "./form.ts";
import type { Shown } from "./shown.ts";

/** The port between the core and a chat platform. Adapters only translate; their state may be lost at a restart. */

/** A platform, by the name of its adapter's folder, such as `slack`. src/platforms.ts lists them all. */
export const platformNameSchema = z.string().regex(/^[a-z]+$/u);
export type PlatformName = z.infer<typeof platformNameSchema>;

/** Where a session's posts go. Ids are the platform's own, without prefix. */
export const threadRefSchema = z.object({
  platform: platformNameSchema,
  workspaceId: z.string(),
  /** On Slack the channel, on Discord the parent channel: the one that sandbox roots and limits belong to. */
  channelId: z.string(),
  /**
   * Slack: the root's ts. Discord: the thread's id; a thread made from a message has that message's id, so it is known
   * before the thread exists (`post` makes it). Null in a Discord DM and for a Slack command, whose reply opens a
   * thread. Web: the thread's id.
   */
  threadId: z.string().nullable(),
});
export type ThreadRef = z.infer<typeof threadRefSchema>;

/** Key of a channel's limits, settings and grants. */
export function channelKeyOf(thread: ThreadRef): string {
  return `${thread.platform}:${thread.channelId}`;
}

/** Returns the channel of a key such as `slack:C1`, without a thread. */
export function channelOf(channelKey: string, workspaceId: string): ThreadRef {
  const colon = channelKey.indexOf(":");
  const platform = platformNameSchema.parse(channelKey.slice(0, colon));
  return { platform, workspaceId, channelId: channelKey.slice(colon + 1), threadId: null };
}

/** Key of a thread's session; each thread has one. */
export function sessionKeyOf(thread: ThreadRef): string {
  return [thread.platform, thread.workspaceId, thread.channelId, thread.threadId ?? "-"].join(":");
}

export interface Person {
  /** `slack:U1`, `discord:1`, `web:local`. */
  readonly id: string;
  readonly name: string;
  readonly isBot: boolean;
  /** A guest of the workspace (Slack: restricted; Discord: pending membership screening). */
  readonly isGuest: boolean;
  /** Belongs to another workspace (Slack Connect). */
  readonly isExternal: boolean;
  /** Further names for access rules, such as `discord:role:1`. */
  readonly roles: readonly string[];
}

/** A file on the platform, by reference. It is fetched when the run begins, so as not to delay storing the event. */
export const attachmentSchema = z.object({
  name: z.string(),
  mediaType: z.string(),
  /** Bytes, according to the platform. */
  size: z.number(),
  /** What the adapter needs to fetch it: a URL or a file id. */
  ref: z.string(),
});
export type Attachment = z.infer<typeof attachmentSchema>;

interface InboundBase {
  /** The idempotency key, DESIGN §4. */
  readonly key: string;
  readonly workspace: { readonly id: string; readonly name: string };
  readonly channel: { readonly id: string; readonly name: string; readonly kind: "channel" | "dm" | "group" };
  readonly thread: ThreadRef;
  readonly person: Person;
  /** When it happened, according to the platform. Milliseconds since the epoch. */
  readonly at: number;
}

export interface InboundMessage extends InboundBase {
  readonly kind: "message";
  /** The text for the model: the bot's own mention removed, other mentions as @name. */
  readonly text: string;
  /** mention: names the bot; dm: a direct message; other: begins by addressing someone else; none: neither. */
  readonly addressed: "mention" | "dm" | "other" | "none";
  /** True when the message begins a thread of its own (a mention in a channel, a top-level DM). */
  readonly opensThread: boolean;
  readonly attachments: readonly Attachment[];
  /** Text of quoted, forwarded or unfurled messages. */
  readonly quoted: readonly string[];
  /** The platform's id of the message, used for reactions. */
  readonly messageId: string;
  /** The message that this one answers, if the platform tells. */
  readonly repliesTo?: string;
  /** Set if the text is not the original. now: just changed, `at` that time; before: changed before it was read. */
  readonly edited?: "now" | "before";
  /** The note to people before the answer to a message that is taken late. */
  readonly late?: string;
}

/** A slash command. Slack's carry no thread: `thread.threadId` is then null and the reply opens one. */
export interface InboundCommand extends InboundBase {
  readonly kind: "command";
  readonly name: string;
  readonly args: string;
  /** The values of the form that the command asked for. */
  readonly filled?: FormValues;
}

/** A click on a button that Deckhand posted. `action` is the button's id, e.g. `stop:run_…`. */
export interface InboundAction extends InboundBase {
  readonly kind: "action";
  readonly action: string;
}

/** Somebody is typing an argument of a slash command and wants completions. Never stored. */
export interface InboundCompletion extends InboundBase {
  readonly kind: "completion";
  readonly command: string;
  /** The option, after its subcommand if there is one: `["edit", "job"]`. */
  readonly option: readonly string[];
  /** The text typed so far. */
  readonly typed: string;
}

export interface Completion {
  /** The text that is inserted. */
  readonly value: string;
  /** The text that people read. */
  readonly label: string;
}

/** Somebody came to a place where Deckhand shows something unasked. */
export interface InboundSurface extends InboundBase {
  readonly kind: "surface";
  /**
   * channel: Deckhand was added to it at time `at` by `person`, or by Deckhand itself if nobody is known; home: a page
   * that one person sees; assistant: a new thread in the pane for conversations with Deckhand.
   */
  readonly surface: "channel" | "home" | "assistant";
}

/** Deleted messages. `at`: when each was posted; `isAddressed`: it was addressed to the bot, if the platform tells. */
export interface InboundDeletion {
  readonly kind: "deletion";
  readonly messages: readonly (Pick<InboundBase, "key" | "at"> & { readonly isAddressed?: true })[];
}

export type InboundEvent = InboundMessage | InboundCommand | InboundCompletion | InboundAction | InboundSurface;

export interface Button {
  /** Returned as InboundAction.action. At most 100 characters. */
  readonly id: string;
  readonly label: string;
  readonly style: "default" | "primary" | "danger";
}

export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
  /** A person has allowed sending the file although it looks like a secret. */
  readonly isAllowed?: true;
}

/** Lanes of the rate budget, most urgent first. */
export type Lane = "approval" | "answer" | "first" | "progress";

/** A message as the core and the renderer know it; each adapter's format.ts converts it. */
export interface OutgoingMessage {
  readonly lane: Lane;
  /** Markdown of the model or of Deckhand. Never trusted: adapters neutralise mentions and unfurls. */
  readonly markdown: string;
  /** One grey line below, such as the summary, who may decide, or when it expires. */
  readonly footer?: string;
  readonly tone: "plain" | "error" | "task";
  readonly buttons: readonly Button[];
  readonly files: readonly OutgoingFile[];
  /** What the message shows of a run or a card, as data. */
  readonly shows?: Shown;
}

/** Handle of a message that the bot posted, stored as JSON. `channelId`: where `edit` finds it (Discord: thread). */
export const postedMessageSchema = z.object({
  platform: platformNameSchema,
  channelId: z.string(),
  messageId: z.string(),
});
export type PostedMessage = z.infer<typeof postedMessageSchema>;

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

export interface PlatformHealth {
  readonly connected: boolean;
  /** The state in words, for /readyz and the operator's terminal. */
  readonly detail: string;
  /** When the next attempt to connect is due, if one is set. Milliseconds since the epoch. */
  readonly nextTryAt?: number;
  /** Since when no event can have been missed; null if another of the processes receives instead. Milliseconds. */
  readonly receivingSince?: number | null;
}

/** A person's home page: what can be done, what is under way, what is scheduled, and how to begin. */
export interface HomeView {
  /** Lines of Markdown. */
  readonly introduction: readonly string[];
  readonly sessions: readonly HomeSession[];
  readonly jobs: readonly {
    readonly name: string;
    readonly sentence: string;
    /** Milliseconds since the epoch; null if it will not run again. */
    readonly nextAt: number | null;
    /** One sign for each of the newest runs, oldest first. */
    readonly strip: string;
    /** What the person may do with the job. */
    readonly buttons: readonly Button[];
  }[];
  /** Adds a job. */
  readonly addJob: Button;
  readonly prompts: readonly Button[];
}

export interface HomeSession {
  readonly thread: ThreadRef;
  /** How the session began, in the person's words. */
  readonly title: string;
  readonly state: "working" | "waiting" | "ended";
  /** When it was last active. Milliseconds since the epoch. */
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

/** Outcome of an event. The adapter tells the person privately why it was refused. */
export type Receipt =
  | { readonly type: "accepted" }
  | { readonly type: "duplicate" }
  | { readonly type: "ignored" }
  | { readonly type: "refused"; readonly reason: string }
  /**
   * A private answer to a command or a click. `form` is shown instead if the platform can open one now; its values come
   * back as InboundCommand. `problems` of the form that was sent are shown below its fields, with the values kept, if
   * the platform can do that.
   */
  | {
      readonly type: "reply";
      readonly message: OutgoingMessage;
      readonly form?: Form;
      readonly problems?: FormProblems;
    }
  /** Possible completions, most likely first. */
  | { readonly type: "completions"; readonly words: readonly Completion[] }
  /** The view of a home that was opened. */
  | { readonly type: "home"; readonly view: HomeView }
  /** Suggested messages for a new thread in an assistant's pane. */
  | { readonly type: "prompts"; readonly prompts: readonly { readonly title: string; readonly message: string }[] };

/** Resolves once the event is durable (or needs not be); only then may the platform be answered. */
export type Receive = (event: InboundEvent | InboundDeletion) => Promise<Receipt>;

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
  /** Events missed while offline, oldest first. `known`: threads of sessions, as some platforms do not list theirs. */
  missed(since: number, signal: AbortSignal, known?: readonly ThreadRef[]): Promise<readonly InboundEvent[]>;
}

/**
 * The differences between platforms, which hold whether or not anybody is connected. One lies beside each adapter; the
 * core asks it, and never compares the names of platforms.
 */
export interface PlatformDescriptor {
  readonly name: PlatformName;
  /** The name within a sentence: `Slack`, `the web page`. */
  readonly title: string;
  readonly limits: PlatformLimits;
  /** Forms of the platform's ids in settings. */
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

/** An id after the platform's name and a colon: a pattern from `^` to `$`, and an example for people. */
interface IdForm {
  readonly id: RegExp;
  readonly written: string;
}

export interface PlatformIds {
  /** Ids of a person, a role or a workspace; several forms if they differ. */
  readonly people: readonly IdForm[];
  readonly channel: IdForm;
}

export type Platforms = ReadonlyMap<PlatformName, PlatformDescriptor>;

/** Returns the platform of a name. PlatformError if this version lacks it, since rows may be another version's. */
export type Describe = (platform: PlatformName) => PlatformDescriptor;
