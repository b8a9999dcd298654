import { until } from "../../support/program/bot.ts";
import { openButtons, type Place, type Shown, type Thread } from "../../support/replicas/place.ts";
import { answerTo } from "../../support/replicas/script.ts";
import type { Kind } from "./kinds.ts";

/** A person who sees no effect of a click within this time clicks again. In milliseconds. */
const CLICKS_AGAIN_MS = 5_000;

export interface Conversation {
  readonly number: number;
  readonly kind: Kind;
  readonly place: Place;
  /** Whether the person denies its cards. */
  readonly denies: boolean;
}

/** A conversation that was held, with its thread. */
export interface Talked extends Conversation {
  readonly thread: Thread;
}

/** Holds a conversation: says everything, clicks its cards, and resolves once everything is answered. */
export async function talk(conversation: Conversation, limit: AbortSignal): Promise<Talked> {
  const { number, kind, place } = conversation;
  const words = (turn: number) => `This is c${number}.${turn}, about ${kind.name}.`;
  const thread = await place.begin(words(1), number);
  const answered = (turn: number) => untilAnswered({ ...conversation, thread }, answerTo(`c${number}.${turn}`), limit);
  for (let turn = 2; turn <= kind.turns; turn += 1) {
    if (kind.isHasty === true) await isThere(thread, limit);
    else await answered(turn - 1);
    await thread.say(words(turn));
  }
  await answered(kind.turns);
  return { ...conversation, thread };
}

/** Waits until the bot has opened the thread: on Discord nothing can be said in it before. */
async function isThere(thread: Thread, limit: AbortSignal): Promise<void> {
  await until(() => thread.isOpen(), { limit, what: () => "the thread to be opened" });
}

async function untilAnswered(talked: Talked, words: string, limit: AbortSignal): Promise<void> {
  const { thread, number, kind, place } = talked;
  const clicks = new Clicks(talked);
  await until(
    () => {
      const messages = thread.byBot();
      for (const message of messages) clicks.look(message);
      return messages.some((message) => isAnswered(message, words));
    },
    {
      limit,
      what: () =>
        `"${words}" in conversation ${number} (${kind.name}, ${place.name}); the bot's messages are\n${JSON.stringify(thread.byBot(), null, 1)}`,
    },
  );
}

/** Whether the message has the answer and is not a live message any more. */
function isAnswered(message: Shown, words: string): boolean {
  return message.text.includes(words) && openButtons(message).length === 0;
}

/** A person who clicks the buttons of cards. */
class Clicks {
  readonly #talked: Talked;
  readonly #clickedAt = new Map<string, number>();

  constructor(talked: Talked) {
    this.#talked = talked;
  }

  look(message: Shown): void {
    const { thread, number, denies } = this.#talked;
    const asking = message.buttons.filter(({ id }) => /^(?:approve|answer):/u.test(id));
    const button = (denies ? asking.find(({ label }) => label === "Deny") : undefined) ?? asking[0];
    const clickedAt = this.#clickedAt.get(message.id) ?? Number.NEGATIVE_INFINITY;
    if (button === undefined || performance.now() - clickedAt < CLICKS_AGAIN_MS) return;
    this.#clickedAt.set(message.id, performance.now());
    thread.click(message, button.id);
    // Some people click twice, and at some cards two people click at once.
    if (number % 5 === 0) thread.click(message, button.id);
    if (number % 7 === 0) thread.click(message, button.id, "another");
  }
}
