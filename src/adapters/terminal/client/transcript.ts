import type { MessageBody, PageMessage } from "../../render/local/wire.ts";

/** What becomes visible when a message comes or changes. */
export type Change =
  /** `live`: a message that is edited while a run goes on, as it is now. */
  | { readonly type: "live"; readonly body: MessageBody }
  /** It stays as it is now. */
  | { readonly type: "final"; readonly kind: Kind; readonly body: MessageBody }
  | { readonly type: "ask"; readonly ask: Ask };

/** progress: what is left of a live message; decision: what is left of a card. */
type Kind = "person" | "note" | "answer" | "progress" | "decision";

/** Something that the person is asked, with what may be pressed. */
export interface Ask {
  readonly messageId: string;
  readonly body: MessageBody;
  /** Empty where it is answered in words only. */
  readonly choices: readonly Choice[];
  /** A run stands still until it is decided; what else can be pressed is an offer. */
  readonly isWaitedFor: boolean;
}

export interface Choice {
  /** What is typed for it: `y`, or `2`. */
  readonly key: string;
  readonly label: string;
  readonly action: string;
}

type Stage = "live" | "asked" | "over";

/** Follows the messages of a thread; each is told when it has something new to show. */
export class Transcript {
  readonly #stages = new Map<string, { readonly stage: Stage; readonly seq: number }>();
  /** What is open, by its message, oldest first. */
  readonly #open = new Map<string, Ask>();
  #live: string | null = null;

  /** What runs wait for, oldest first. */
  get waitedFor(): readonly Ask[] {
    return [...this.#open.values()].filter(({ isWaitedFor }) => isWaitedFor);
  }

  /** What the person is asked now: the oldest that a run waits for, or else the newest offer. */
  get ask(): Ask | null {
    return this.waitedFor[0] ?? [...this.#open.values()].at(-1) ?? null;
  }

  /** Whether the message asks for something that a run waits for, or did so before. */
  concerns({ id, body }: PageMessage): boolean {
    return this.#stages.has(id) || isWaitedFor(body);
  }

  /** Null where there is nothing new to see. */
  take(message: PageMessage): Change | null {
    const { id, seq, body } = message;
    const known = this.#stages.get(id);
    if (known !== undefined && known.seq >= seq) return null;
    const ask = askOf(message);
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

  /** The buttons below an answer are of use until something newer is asked. */
  #keep(ask: Ask): void {
    for (const [id, { body }] of this.#open) if (body.lane !== "approval") this.#open.delete(id);
    this.#open.set(ask.messageId, ask);
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

function askOf({ id, body }: PageMessage): Ask | null {
  const choices = choicesOf(body);
  const isWaited = isWaitedFor(body);
  return choices.length > 0 || isWaited ? { messageId: id, body, choices, isWaitedFor: isWaited } : null;
}

/** Offered beside every run: on a terminal they are commands. */
const EVERYWHERE = /^(?:stop|details|good|bad):/u;

/** An approval has letters, everything else numbers. */
function choicesOf({ by, buttons }: MessageBody): Choice[] {
  if (by !== "deckhand") return [];
  const offered = buttons.filter(({ id }) => !EVERYWHERE.test(id));
  return offered.map(({ id, label }, index) => {
    const letter = /^approve:([ynaA]):/u.exec(id)?.[1];
    return { key: letter ?? String(index + 1), label, action: id };
  });
}
