import type { ChatPlatform } from "../../src/core/platform/chat-platform.ts";
import type { PostedMessage } from "../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../src/core/platform/thread.ts";

/**
 * The interface between a platform's local server and the contract suite. The adapter under test talks to the server
 * through its genuine SDK; these controls stand for the people, the faults and the platform.
 */

export type PersonName = "ana" | "bob";

export interface Said {
  /** The platform's id of the message; any id for a click or a command. */
  readonly messageId: string;
  /** Whether the platform has received an answer to the newest delivery (ack, interaction response, HTTP response). */
  isAnswered(): boolean;
  /** Resolves once the platform has its answer. Never resolves for a message if `traits.answersMessages` is false. */
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
  /** All readable text: body and footer, in the platform's own markup. */
  readonly text: string;
  readonly buttons: readonly { readonly id: string; readonly label: string }[];
  readonly files: readonly { readonly name: string; readonly data: Uint8Array }[];
  /** Those whom the platform would notify because of the text. Empty if it pings nobody. */
  readonly pings: readonly string[];
  /** Addresses that the platform would fetch to show a preview. */
  readonly previews: readonly string[];
  /** Names of the message's reactions. */
  readonly reactions: readonly string[];
}

export interface Noise {
  readonly name: string;
  /** Whether the log must have a line about it for an operator, as for malformed events. */
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
  /** Whether `wrongToken` and `withholdPermission` exist. */
  readonly credentials: boolean;
}

export interface PlatformHarness extends AsyncDisposable {
  /** The adapter under test on the local server; not started. */
  readonly platform: ChatPlatform;
  /** Makes another adapter on the same server, as after a restart of the program; not started. */
  readonly another: () => ChatPlatform;
  /** Makes an adapter whose token the server rejects; not started. Only if `traits.credentials`. */
  readonly wrongToken?: () => ChatPlatform;

  /** Begins a thread by addressing the bot in a channel. `text` comes without the mention. */
  mention(text: string, options?: SayOptions): Promise<Said>;
  /** Writes into a thread without mentioning the bot. */
  reply(thread: ThreadRef, text: string, options?: SayOptions): Promise<Said>;
  /** Mentions the bot inside a thread. */
  mentionIn(thread: ThreadRef, text: string, options?: SayOptions): Promise<Said>;
  /** Writes into a thread; the text begins by mentioning Bob. Only if `traits.mentions`. */
  readonly replyToBob?: (thread: ThreadRef, text: string) => Promise<Said>;
  /** Writes a direct message. Only if `traits.dms` is not "none". */
  readonly dm?: (text: string) => Promise<Said>;
  click(posted: PostedMessage, buttonId: string, as?: PersonName): Promise<Said>;
  /** Makes the platform deliver the same message again, as it does when it is unsure. */
  redeliver(said: Said): Promise<void>;
  /**
   * Deliveries that lead to no event: the bot's own and other bots' messages, edits, deletions, joins, unknown and
   * malformed events. Each resolves once it is sent, ahead of anything said later.
   */
  readonly noise: readonly Noise[];

  /** The person's id as events give it, for example `slack:U1`. */
  personId(person: PersonName): string;
  /** The thread's messages, oldest first, without those that only one person sees. */
  visible(thread: ThreadRef): Promise<readonly VisibleMessage[]>;
  /** Messages that only this person sees, oldest first. */
  ephemeralsTo(person: PersonName): Promise<readonly string[]>;
  /** Number of warnings and errors that the adapters have logged. */
  warnings(): number;

  /** Lets the next post land but loses its response. */
  loseNextPostResponse(): void;
  /** Answers the next request of this kind with 429. */
  rateLimitNext(kind: "post" | "edit", retryAfterMs: number): void;
  /** Answers the next post with a 5xx; the post does not land. */
  failNextPost(): void;
  deleteThread(thread: ThreadRef): void;
  /** Forbids posting from now on for lack of the returned permission. Only if `traits.credentials`. */
  readonly withholdPermission?: () => string;
  /** Cuts the push connection; resolves when the adapter is connected again. */
  dropConnection(): Promise<void>;
  /** Number of open push connections (sockets). */
  openConnections(): number;
}
