import { z } from "zod";
import type { Form, FormProblems, FormValues } from "../protocol/form.ts";
import type { HomeView } from "./home-view.ts";
import type { OutgoingMessage } from "./outgoing.ts";
import type { Person, ThreadRef } from "./thread.ts";

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
  /** The idempotency key: equal for each delivery of one event, different for all others. */
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
