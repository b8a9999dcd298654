import { type ApiAnswer, type Choices, failure, type Modal, type Outgoing } from "./answers.ts";

/** A click or command in progress: its response, and what its person alone was shown. */
export interface Interaction {
  readonly id: string;
  readonly token: string;
  readonly userId: string;
  readonly sentAt: number;
  /** Type of the response; null until there is one. */
  response: number | null;
  /** Resolves when the interaction is answered. */
  readonly answered: Promise<void>;
  /** Texts that only the person saw, in order. */
  readonly shown: Outgoing[];
  /** The dialog sent as the response. */
  modal: Modal | null;
  /** The autocomplete choices sent as the response. */
  choices: Choices | null;
}

interface Open extends Interaction {
  readonly settle: () => void;
}

const EPHEMERAL = 1 << 6;
/** Deadline for the response and lifetime of the token, in milliseconds. Source: Discord docs. */
const ANSWER_WITHIN_MS = 3_000;
const TOKEN_MS = 15 * 60_000;

export class Interactions {
  readonly #open = new Map<string, Open>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(id: string, userId: string): Interaction {
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun: Open = {
      id,
      token: `token-of-${id}`,
      userId,
      sentAt: this.#now(),
      response: null,
      answered: promise,
      shown: [],
      modal: null,
      choices: null,
      settle: resolve,
    };
    this.#open.set(id, begun);
    return begun;
  }

  shownTo(userId: string): Outgoing[] {
    return [...this.#open.values()]
      .filter((interaction) => interaction.userId === userId)
      .flatMap(({ shown }) => shown);
  }

  respond({ id, token }: Pick<Interaction, "id" | "token">, type: number, data: Outgoing | undefined): ApiAnswer {
    const interaction = this.#open.get(id);
    if (interaction === undefined || interaction.token !== token || this.#late(interaction, ANSWER_WITHIN_MS)) {
      return failure(404, 10_062, "Unknown interaction");
    }
    if (interaction.response !== null) return failure(400, 40_060, "Interaction has already been acknowledged.");
    if (type === 4 && (data === undefined || (data.flags & EPHEMERAL) === 0)) {
      return failure(400, 50_035, "The local Discord takes ephemeral answers only");
    }
    interaction.response = type;
    if (data !== undefined) interaction.shown.push(data);
    interaction.settle();
    return { status: 204, body: undefined };
  }

  respondModal(at: Pick<Interaction, "id" | "token">, modal: Modal): ApiAnswer {
    const answer = this.respond(at, 9, undefined);
    const interaction = this.#open.get(at.id);
    if (answer.status === 204 && interaction !== undefined) interaction.modal = modal;
    return answer;
  }

  respondChoices(at: Pick<Interaction, "id" | "token">, choices: Choices): ApiAnswer {
    const answer = this.respond(at, 8, undefined);
    const interaction = this.#open.get(at.id);
    if (answer.status === 204 && interaction !== undefined) interaction.choices = choices;
    return answer;
  }

  followUp(token: string, data: Outgoing): ApiAnswer {
    const interaction = [...this.#open.values()].find((candidate) => candidate.token === token);
    if (interaction === undefined) return failure(404, 10_015, "Unknown Webhook");
    if (interaction.response === null || this.#late(interaction, TOKEN_MS)) {
      return failure(401, 50_027, "Invalid Webhook Token");
    }
    interaction.shown.push(data);
    return { status: 200, body: { id: interaction.id, channel_id: "0" } };
  }

  #late(interaction: Interaction, allowedMs: number): boolean {
    return this.#now() - interaction.sentAt > allowedMs;
  }
}
