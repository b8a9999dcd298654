import type { ChatPlatform, PostedMessage, ThreadRef } from "../../src/core/protocol/platform.ts";

/**
 * What a platform's local server and the contract suite agree on. The adapter under test talks to the
 * server through its genuine SDK; these controls stand for the people, the faults and the platform.
 */

export type PersonName = "ana" | "bob";

export interface Said {
  /** The platform's id of what was said; of a click or a command, any id. */
  readonly messageId: string;
  /** Whether the platform has its answer to the newest delivery (ack, interaction response, HTTP response). */
  isAnswered(): boolean;
  /** Resolves when it has. Never resolves where `traits.answersMessages` is false and this is a message. */
  readonly answered: Promise<void>;
}

export interface SayOptions {
  readonly as?: PersonName;
  readonly file?: { readonly name: string; readonly mediaType: string; readonly data: Uint8Array };
  /** The text of a message that is quoted, forwarded or unfurled along with this one. */
  readonly quoting?: string;
}

/** A message as people see it in the thread. */
export interface VisibleMessage {
  readonly messageId: string;
  readonly by: PersonName | "bot" | "other";
  /** Everything readable in it: text and footer, in the platform's own markup. */
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
  readonly files: readonly { readonly name: string; readonly data: Uint8Array }[];
  /** Whom the platform would notify because of its text. Empty when it pings nobody. */
  readonly pings: readonly string[];
  /** Addresses that the platform would fetch to show a preview. */
  readonly previews: readonly string[];
  /** Names of reactions put on it. */
  readonly reactions: readonly string[];
}

export interface Noise {
  readonly name: string;
  /** True where an operator should find a line about it in the log: malformed events. */
  readonly logged: boolean;
  deliver(thread: ThreadRef): Promise<void>;
}

export interface PlatformTraits {
  /** Messages are acknowledged (Slack, web); a Discord gateway message is not. */
  readonly answersMessages: boolean;
  /** People address the bot by mentioning it; on the web page everything typed is addressed to it. */
  readonly mentions: boolean;
  /** Direct messages: a thread each (Slack), one rolling session (Discord), or none of their own (web). */
  readonly dms: "threads" | "rolling" | "none";
  /** The platform carries quoted, forwarded or unfurled text. */
  readonly quotes: boolean;
  /** `wrongToken` and `withholdPermission` mean something. */
  readonly credentials: boolean;
}

export interface PlatformHarness extends AsyncDisposable {
  /** The adapter under test over the local server; not started. */
  readonly platform: ChatPlatform;
  /** Another adapter over the same server, as after a restart of the program; not started. */
  readonly another: () => ChatPlatform;
  /** An adapter whose token the server does not accept; not started. Only where `traits.credentials`. */
  readonly wrongToken?: () => ChatPlatform;

  /** Begins a thread by addressing the bot in a channel. `text` comes without the mention. */
  mention(text: string, options?: SayOptions): Promise<Said>;
  /** Writes into a thread without mentioning the bot. */
  reply(thread: ThreadRef, text: string, options?: SayOptions): Promise<Said>;
  /** Mentions the bot inside a thread. */
  mentionIn(thread: ThreadRef, text: string, options?: SayOptions): Promise<Said>;
  /** Writes into a thread; the text begins by mentioning Bob. Only where `traits.mentions`. */
  readonly replyToBob?: (thread: ThreadRef, text: string) => Promise<Said>;
  /** Only where `traits.dms` is not "none". */
  readonly dm?: (text: string) => Promise<Said>;
  click(posted: PostedMessage, buttonId: string, as?: PersonName): Promise<Said>;
  /** The platform delivers the same message again, as it does when it is unsure. */
  redeliver(said: Said): Promise<void>;
  /**
   * Deliveries that give no event: the bot's own and other bots' messages, edits, deletions, joins,
   * unknown and malformed events. Each resolves when it is on its way, before anything said later.
   */
  readonly noise: readonly Noise[];

  /** `slack:U1`: how events name the person. */
  personId(person: PersonName): string;
  /** The thread's messages, oldest first, without what only one person sees. */
  visible(thread: ThreadRef): Promise<readonly VisibleMessage[]>;
  /** What only this person sees, oldest first. */
  ephemeralsTo(person: PersonName): Promise<readonly string[]>;
  /** Warnings and errors that the adapters have logged so far. */
  warnings(): number;

  /** The next post lands, but its response never reaches the adapter. */
  loseNextPostResponse(): void;
  /** The next request of the kind is answered with 429. */
  rateLimitNext(kind: "post" | "edit", retryAfterMs: number): void;
  /** The next post is answered with a 5xx and does not land. */
  failNextPost(): void;
  deleteThread(thread: ThreadRef): void;
  /** From now on posting is forbidden for want of the returned permission. Only where `traits.credentials`. */
  readonly withholdPermission?: () => string;
  /** Cuts the push connection; resolves when the adapter is connected again. */
  dropConnection(): Promise<void>;
  /** Push connections (sockets) open now. */
  openConnections(): number;
}
