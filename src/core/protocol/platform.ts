import { z } from "zod";
import type { Form, FormProblems, FormValues } from "./form.ts";
import type { Shown } from "./shown.ts";

/** The port between the core and a chat platform. Adapters translate; they decide nothing that the core can decide, and hold no state that a restart may not lose. */

/** A platform by the name of its adapter's folder: `slack`. Which there are is for src/platforms.ts to say. */
export const platformNameSchema = z.string().regex(/^[a-z]+$/u);
export type PlatformName = z.infer<typeof platformNameSchema>;

/** Where a session's posts go. Ids are the platform's own, without prefix. */
export const threadRefSchema = z.object({
  platform: platformNameSchema,
  workspaceId: z.string(),
  /** On Discord the parent channel, on Slack the channel: what sandbox roots and limits count by. */
  channelId: z.string(),
  /**
   * Slack: the root's ts. Discord: the thread's id; a thread made from a message has that message's
   * id, so it is known before the thread exists (`post` makes it). Null in a Discord DM and for a Slack
   * command, whose reply opens a thread. Web: the thread's id.
   */
  threadId: z.string().nullable(),
});
export type ThreadRef = z.infer<typeof threadRefSchema>;

/** What limits, settings and grants of a channel go by. */
export function channelKeyOf(thread: ThreadRef): string {
  return `${thread.platform}:${thread.channelId}`;
}

/** `slack:C1` → the channel, without a thread. */
export function channelOf(channelKey: string, workspaceId: string): ThreadRef {
  const colon = channelKey.indexOf(":");
  const platform = platformNameSchema.parse(channelKey.slice(0, colon));
  return { platform, workspaceId, channelId: channelKey.slice(colon + 1), threadId: null };
}

/** One thread, one session. */
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
  /** `discord:role:1` … : what access rules may name besides the person. */
  readonly roles: readonly string[];
}

/** A file on the platform, by reference: it is fetched when the run begins, not before the event is durable. */
export const attachmentSchema = z.object({
  name: z.string(),
  mediaType: z.string(),
  /** Bytes, as the platform says. */
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
  /** When it happened, by the platform. Milliseconds since the epoch. */
  readonly at: number;
}

export interface InboundMessage extends InboundBase {
  readonly kind: "message";
  /** As the model may read it: the bot's own mention removed, other mentions as @name. */
  readonly text: string;
  /** mention: names the bot; dm: a direct message; other: begins by addressing someone else; none: neither. */
  readonly addressed: "mention" | "dm" | "other" | "none";
  /** True when the message begins a thread of its own (a mention in a channel, a top-level DM). */
  readonly opensThread: boolean;
  readonly attachments: readonly Attachment[];
  /** Text of quoted, forwarded or unfurled messages. */
  readonly quoted: readonly string[];
  /** The platform's id of the message: what reactions are put on. */
  readonly messageId: string;
  /** The message that it answers, where the platform says so. */
  readonly repliesTo?: string;
  /** Reads otherwise than it was posted. now: somebody has just changed it, `at` that time; before: it is read since then. */
  readonly edited?: "now" | "before";
  /** What people read before the answer to a message that is taken late. */
  readonly late?: string;
}

/** A slash command. Slack's carry no thread: `thread.threadId` is then null and the reply opens one. */
export interface InboundCommand extends InboundBase {
  readonly kind: "command";
  readonly name: string;
  readonly args: string;
  /** What was filled in of a form that the command asked for. */
  readonly filled?: FormValues;
}

/** A click on a button that Deckhand posted. `action` is the button's id, e.g. `stop:run_…`. */
export interface InboundAction extends InboundBase {
  readonly kind: "action";
  readonly action: string;
}

/** Somebody types an argument of a slash command and is to be offered what could stand there; nothing is stored of it. */
export interface InboundCompletion extends InboundBase {
  readonly kind: "completion";
  readonly command: string;
  /** The option, behind its subcommand if it has one: `["edit", "job"]`. */
  readonly option: readonly string[];
  /** What is typed of it so far. */
  readonly typed: string;
}

export interface Completion {
  /** What is typed in the end. */
  readonly value: string;
  /** What people read of it. */
  readonly label: string;
}

/** Somebody came to where Deckhand shows something of its own accord. */
export interface InboundSurface extends InboundBase {
  readonly kind: "surface";
  /**
   * channel: Deckhand was added to it, `at` that time, by `person`, or by nobody who is known: then it is
   * Deckhand itself; home: a page that one person sees; assistant: a new thread of a pane for talks with it.
   */
  readonly surface: "channel" | "home" | "assistant";
}

/** Messages that are deleted now, by whoever may. `at`: when each was posted; isAddressed: it spoke to the bot, where the platform says so. */
export interface InboundDeletion {
  readonly kind: "deletion";
  readonly messages: readonly (Pick<InboundBase, "key" | "at"> & { readonly isAddressed?: true })[];
}

export type InboundEvent = InboundMessage | InboundCommand | InboundCompletion | InboundAction | InboundSurface;

export interface Button {
  /** Comes back as InboundAction.action; at most 100 characters. */
  readonly id: string;
  readonly label: string;
  readonly style: "default" | "primary" | "danger";
}

export interface OutgoingFile {
  readonly name: string;
  readonly mediaType: string;
  readonly data: Uint8Array;
  /** A person has allowed that it is sent, though it looks like a secret. */
  readonly isAllowed?: true;
}

/** What lane of the rate budget a message rides in, most urgent first. */
export type Lane = "approval" | "answer" | "first" | "progress";

/** A message as the core and the renderer know it; each adapter's format.ts turns it into the platform's own. */
export interface OutgoingMessage {
  readonly lane: Lane;
  /** Markdown from the model or ours. Never trusted: adapters neutralise mentions and unfurls. */
  readonly markdown: string;
  /** One grey line below: the summary, who may decide, when it expires. */
  readonly footer?: string;
  readonly tone: "plain" | "error" | "task";
  readonly buttons: readonly Button[];
  readonly files: readonly OutgoingFile[];
  /** What it shows of a run or a card, as data. */
  readonly shows?: Shown;
}

/** The handle of a message of ours on a platform; stored as JSON. `channelId` is where `edit` finds it (Discord: the thread). */
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
    /** It is this program that has posted it. */
    readonly isOurs?: true;
    /** The access rules serve them; left out: nobody has looked, and they count as one who is not. */
    readonly isServed?: boolean;
  };
  /** All that the message says, in words: what it quotes, its previews and the names of its files, too. */
  readonly text: string;
  /** Among that are words of others: what it quotes, forwards or shows of links. */
  readonly isQuoting?: boolean;
  /** Its files and those of what it quotes; none when left out. */
  readonly attachments?: readonly Attachment[];
  readonly at: number;
}

/** Documented constants of a platform; each has its source where it is defined. */
export interface PlatformLimits {
  /** Characters of one message's markdown. */
  readonly messageChars: number;
  /** Headings, rules, tables and texts between these, where the platform counts what one message's markdown is made of. */
  readonly messageBlocks?: number;
  /** Characters of a message that is edited while a run goes on. */
  readonly editChars: number;
  /** Characters of what stands small beneath a message. */
  readonly footerChars: number;
  /** Token buckets: `burst` at once, then one per `everyMs`. */
  readonly postsPerChannel: RateBucket;
  readonly editsPerWorkspace: RateBucket;
  /** Parts of one answer posted as messages; more becomes a file. */
  readonly answerParts: number;
  /** False where Markdown's tables are shown as they are written. */
  readonly showsTables?: false;
  readonly attachmentBytes: number;
}

export interface RateBucket {
  readonly burst: number;
  readonly everyMs: number;
}

export interface PlatformHealth {
  readonly connected: boolean;
  /** For /readyz and the operator's terminal: what is so, in words. */
  readonly detail: string;
  /** When connecting is tried again, where a time is set for it. Milliseconds since the epoch. */
  readonly nextTryAt?: number;
  /** Since when nothing that came here can have been missed; null where processes share what comes, while nothing comes here. */
  readonly receivingSince?: number | null;
}

/** A person's own page: what can be done, what goes on, what is scheduled, how to begin. */
export interface HomeView {
  /** Lines of Markdown. */
  readonly introduction: readonly string[];
  readonly sessions: readonly HomeSession[];
  readonly jobs: readonly {
    readonly name: string;
    readonly sentence: string;
    /** Milliseconds since the epoch; null when it will not be due. */
    readonly nextAt: number | null;
    /** One sign for each of its newest runs, oldest first. */
    readonly strip: string;
    /** What the person may do with it. */
    readonly buttons: readonly Button[];
  }[];
  /** Begins another one. */
  readonly addJob: Button;
  readonly prompts: readonly Button[];
}

export interface HomeSession {
  readonly thread: ThreadRef;
  /** How it began, in the person's words. */
  readonly title: string;
  readonly state: "working" | "waiting" | "ended";
  /** When something happened last. Milliseconds since the epoch. */
  readonly at: number;
}

/** How a person and Deckhand stand to a channel. */
export interface Membership {
  /** Not everybody of the workspace may read it. */
  readonly isPrivate: boolean;
  /** Whether the person is in it. */
  readonly isMember: boolean;
  /** Whether Deckhand may post in it. */
  readonly canPost: boolean;
}

/** A message with links in its text. */
export interface LinkingMessage extends Pick<InboundMessage, "thread" | "messageId" | "text" | "at"> {
  readonly author: { readonly id: string };
}

/** Texts that say whose they are, and pictures. */
export type LinkPreviews = Pick<InboundMessage, "quoted" | "attachments">;

/** What became of an event. `refused` is told to the person privately by the adapter. */
export type Receipt =
  | { readonly type: "accepted" }
  | { readonly type: "duplicate" }
  | { readonly type: "ignored" }
  | { readonly type: "refused"; readonly reason: string }
  /**
   * A private answer to a command or a click. `form`: shown in its place where the platform has forms and
   * can open one now; what people send comes back as InboundCommand. `problems`: of the form that was sent,
   * shown beneath its fields where the platform can, with what was filled in still there.
   */
  | {
      readonly type: "reply";
      readonly message: OutgoingMessage;
      readonly form?: Form;
      readonly problems?: FormProblems;
    }
  /** What could stand where somebody types, the likeliest first. */
  | { readonly type: "completions"; readonly words: readonly Completion[] }
  /** What a home that was opened shows. */
  | { readonly type: "home"; readonly view: HomeView }
  /** What a new thread of an assistant's pane suggests to say. */
  | { readonly type: "prompts"; readonly prompts: readonly { readonly title: string; readonly message: string }[] };

/** Resolves once the event is durable (or needs not be); only then may the platform be answered. */
export type Receive = (event: InboundEvent | InboundDeletion) => Promise<Receipt>;

export interface ChatPlatform {
  readonly descriptor: PlatformDescriptor;
  /** Where Deckhand is at this moment, names by id. Absent where there is but one place, everybody's. */
  workspaces?(): ReadonlyMap<string, string>;
  /** Connects. Rejects with PlatformError `platform_auth` or `missing_scope` when it never can. */
  start(receive: Receive, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
  health(): PlatformHealth;
  /** Tries once; the key travels with the message, so that `find` can look for it. */
  post(thread: ThreadRef, message: OutgoingMessage, key: string): Promise<PostedMessage>;
  /** A message posted earlier under the key, if it is there. `since`: when the intent was written. */
  find(thread: ThreadRef, key: string, since: number): Promise<PostedMessage | null>;
  edit(posted: PostedMessage, message: OutgoingMessage): Promise<void>;
  /** A sign on a person's message: ⏳-like life when no post may be made, ✓ when it is read. */
  react(thread: ThreadRef, messageId: string, sign: "seen" | "working"): Promise<void>;
  upload(thread: ThreadRef, file: OutgoingFile, key: string): Promise<PostedMessage>;
  /** Shown to one person only, where the platform can; elsewhere a direct message. */
  postEphemeral(thread: ThreadRef, personId: string, message: OutgoingMessage): Promise<void>;
  /** A line beside the thread that says what goes on in it, where the platform has one; empty: nothing does. */
  showStatus?(thread: ThreadRef, status: string): Promise<void>;
  /** A person's membership of a channel without thread; null when there is none that Deckhand knows. Absent where everybody is in each channel. */
  membership?(channel: ThreadRef, personId: string): Promise<Membership | null>;
  /** Opens a private thread beside a private one, with the person in it. Null where that one is as open as its channel: a message opens a thread there. Absent where all threads are. */
  openPrivateThread?(thread: ThreadRef, name: string, personId: string): Promise<ThreadRef | null>;
  /** Somebody as the platform knows them now, in the thread's workspace; null when they have left it. Absent where nobody can. */
  member?(thread: ThreadRef, personId: string): Promise<Person | null>;
  /** What a message's links show beneath it, as far as its author may see that; waits for it. Absent where nothing is shown. */
  previews?(of: LinkingMessage, signal: AbortSignal): Promise<LinkPreviews>;
  /** The bytes of an attachment, checked; PlatformError `missing_scope` or `attachment_unreadable`. */
  fetchFile(attachment: Attachment, maxBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** The thread's root and newest messages, oldest first; of a ref without thread the channel's newest, where there are any. */
  fetchThread(thread: ThreadRef, limit: number, signal: AbortSignal): Promise<readonly ThreadMessage[]>;
  /** What people wrote while we were down, oldest first. `known`: threads of sessions, which some platforms do not list; none when left out. */
  missed(since: number, signal: AbortSignal, known?: readonly ThreadRef[]): Promise<readonly InboundEvent[]>;
}

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
