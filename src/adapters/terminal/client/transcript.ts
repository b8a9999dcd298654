import type { MessageBody, PageMessage } from "../../render/local/wire.ts";

/** What to show after a message was posted or changed. */
export type Change =
  /** The current state of a message that is edited during a run. */
  | { readonly type: "live"; readonly body: MessageBody }
  /** A message that will not change any more. */
  | { readonly type: "final"; readonly kind: Kind; readonly body: MessageBody }
  | { readonly type: "ask"; readonly ask: Card };

/** progress: a finished live message. decision: a decided card. */
type Kind = "person" | "note" | "answer" | "progress" | "decision";

export interface Card {
  readonly messageId: string;
  readonly body: MessageBody;
  /** Empty if it can only be answered with text. */
  readonly choices: readonly Choice[];
  /** True if a run waits for the decision; otherwise the card is an offer. */
  readonly isWaitedFor: boolean;
}

export interface Choice {
  /** What to type for this choice: `y`, or `2`. */
  readonly key: string;
  readonly label: string;
  readonly action: string;
}

type Stage = "live" | "asked" | "over";

/** Follows the messages of a thread and reports what is new in each. */
export class Transcript {
  readonly #stages = new Map<string, { readonly stage: Stage; readonly seq: number }>();
  /** Open cards by message id, oldest first. */
  readonly #open = new Map<string, Card>();
  #live: string | null = null;

  /** The cards that runs wait for, oldest first. */
  get waitedFor(): readonly Card[] {
    return [...this.#open.values()].filter(({ isWaitedFor }) => isWaitedFor);
  }

  /** The current card: the oldest that a run waits for, or else the newest offer. */
  get currentCard(): Card | null {
    return this.waitedFor[0] ?? [...this.#open.values()].at(-1) ?? null;
  }

  /** Whether the message is, or was, a card that a run waits for. */
  concerns({ id, body }: PageMessage): boolean {
    return this.#stages.has(id) || isWaitedFor(body);
  }

  /** Null if there is nothing new to show. */
  take(message: PageMessage): Change | null {
    const { id, seq, body } = message;
    const known = this.#stages.get(id);
    if (known !== undefined && known.seq >= seq) return null;
    const ask = cardOf(message);
    if (ask === null) this.#open.delete(id);
    if (known?.stage === "over") return null;
    const stage = stageOf(body);
    this.#stages.set(id, { stage, seq });
    if (stage === "live") {
      this.#live = id;
      return { type: "live", body };
    }
    if (this.#live === id) this.#live = null;
    if (ask !== null) this.#keep(ask);
    if (stage === "asked" && ask !== null) return { type: "ask", ask };
    return { type: "final", kind: kindOf(body, known?.stage), body };
  }

  /** Keeps a card. The buttons below an answer are dropped as soon as something newer is asked. */
  #keep(card: Card): void {
    for (const [id, { body }] of this.#open) if (body.lane !== "approval") this.#open.delete(id);
    this.#open.set(card.messageId, card);
  }

  /** Whether a live message is shown. */
  get isLive(): boolean {
    return this.#live !== null;
  }
}

function stageOf(body: MessageBody): Stage {
  const { by, lane, buttons, shows } = body;
  if (by !== "deckhand") return "over";
  if (lane === "approval") return buttons.length > 0 || isWaitedFor(body) ? "asked" : "over";
  return shows?.type === "live" ? "live" : "over";
}

function kindOf({ by, lane }: MessageBody, before: Stage | undefined): Kind {
  if (by !== "deckhand") return by;
  if (lane === "approval" || before === "asked") return "decision";
  return before === "live" || lane === "progress" || lane === "first" ? "progress" : "answer";
}

function isWaitedFor({ by, shows }: MessageBody): boolean {
  return by === "deckhand" && shows?.type === "card" && shows.card !== "offer";
}

function cardOf({ id, body }: PageMessage): Card | null {
  const choices = choicesOf(body);
  const isWaited = isWaitedFor(body);
  return choices.length > 0 || isWaited ? { messageId: id, body, choices, isWaitedFor: isWaited } : null;
}

/** Buttons of every run, which on a terminal are commands instead. */
const EVERYWHERE = /^(?:stop|details|good|bad):/u;

/** Approvals are answered with letters, everything else with numbers. */
function choicesOf({ by, buttons }: MessageBody): Choice[] {
  if (by !== "deckhand") return [];
  const offered = buttons.filter(({ id }) => !EVERYWHERE.test(id));
  return offered.map(({ id, label }, index) => {
    const letter = /^approve:([ynaA]):/u.exec(id)?.[1];
    return { key: letter ?? String(index + 1), label, action: id };
  });
}

/** What people type for a key, in small letters. `a` and `A` differ, so only these may be written in any case. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ["y", "y"],
  ["yes", "y"],
  ["n", "n"],
  ["no", "n"],
]);

/** The choice that was typed. Null for a message; a sentence for a key that an approval does not offer. */
export function choiceTyped({ choices }: Card, typed: string): Choice | string | null {
  const choice = choices.find(({ key }) => key === typed);
  const isApproval = choices.some(({ action }) => action.startsWith("approve:"));
  if (choice !== undefined || !isApproval) return choice ?? null;
  const meant = choices.find(({ key }) => key === WORDS.get(typed.toLowerCase()));
  if (meant !== undefined) return meant;
  return typed.length === 1
    ? `✗ ${typed} is not offered here: type ${choices.map(({ key }) => key).join(", ")}.`
    : null;
}
