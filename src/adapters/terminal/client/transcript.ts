import type { MessageBody } from "../../render/local/wire.ts";
import type { Message } from "../wire.ts";

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
  readonly choices: readonly Choice[];
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
  #ask: Ask | null = null;
  #live: string | null = null;

  /** What the person is asked now; the newest, where it is several. */
  get ask(): Ask | null {
    return this.#ask;
  }

  /** Null where there is nothing new to see. */
  take(message: Message): Change | null {
    const { id, seq, body } = message;
    const known = this.#stages.get(id);
    if (known !== undefined && (known.seq >= seq || known.stage === "over")) return null;
    const stage = stageOf(body);
    this.#stages.set(id, { stage, seq });
    if (this.#ask?.messageId === id && stage !== "asked") this.#ask = null;
    if (stage === "live") {
      this.#live = id;
      return { type: "live", body };
    }
    if (this.#live === id) this.#live = null;
    const choices = choicesOf(body);
    const ask = choices.length === 0 ? null : { messageId: id, body, choices };
    if (ask !== null) this.#ask = ask;
    if (stage === "asked" && ask !== null) return { type: "ask", ask };
    return { type: "final", kind: kindOf(body, known?.stage), body };
  }

  /** Whether a live message is shown. */
  get isLive(): boolean {
    return this.#live !== null;
  }
}

function stageOf({ by, lane, buttons }: MessageBody): Stage {
  if (by !== "deckhand") return "over";
  if (lane === "approval") return buttons.length > 0 ? "asked" : "over";
  return buttons.some(({ id }) => id.startsWith("stop:")) ? "live" : "over";
}

function kindOf({ by, lane }: MessageBody, before: Stage | undefined): Kind {
  if (by !== "deckhand") return by;
  if (lane === "approval" || before === "asked") return "decision";
  return before === "live" || lane === "progress" || lane === "first" ? "progress" : "answer";
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
