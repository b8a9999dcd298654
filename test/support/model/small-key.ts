import { ProviderError } from "../../../src/core/protocol/errors.ts";
import { NO_USAGE } from "../../../src/core/protocol/usage.ts";
import type { LlmProvider, ModelRequest, ModelResponse, StreamEvent } from "../../../src/core/providers/provider.ts";
import type { ManualClock } from "../manual-clock.ts";

export const RESPONSE: ModelResponse = {
  content: [{ type: "text", text: "Hi." }],
  stopReason: "end_turn",
  usage: NO_USAGE,
  model: "m",
};

/**
 * A provider that accepts a number of concurrent calls and rejects more. Each call takes two seconds, its first word
 * half a second.
 */
export class SmallKey implements LlmProvider {
  readonly id = "small";
  readonly name = "Small";
  readonly #clock: ManualClock;
  readonly #takes: number;
  readonly #retryAfterMs: number | undefined;
  going = 0;
  most = 0;
  refusals = 0;
  /** Models of the answered calls in order; tests use the model to name a call. */
  readonly answered: string[] = [];

  constructor(clock: ManualClock, takes: number, retryAfterMs?: number) {
    this.#clock = clock;
    this.#takes = takes;
    this.#retryAfterMs = retryAfterMs;
  }

  async *createMessageStream({ model }: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    if (this.going >= this.#takes) {
      this.refusals += 1;
      const wait = this.#retryAfterMs === undefined ? {} : { retryAfterMs: this.#retryAfterMs };
      throw new ProviderError("rate_limited", "too many", wait);
    }
    this.going += 1;
    this.most = Math.max(this.most, this.going);
    try {
      await this.#clock.sleep(500, signal);
      yield { type: "text", text: "Hi." };
      await this.#clock.sleep(1_500, signal);
      this.answered.push(model);
      yield { type: "end", response: RESPONSE };
    } finally {
      this.going -= 1;
    }
  }

  createMessage(): Promise<ModelResponse> {
    throw new Error("the wrapper streams");
  }

  listModels(): Promise<never[]> {
    return Promise.resolve([]);
  }
}

/** A request whose model names the call. */
export function request(model: string): ModelRequest {
  return { model, system: [], messages: [], tools: [], maxTokens: 100 };
}
