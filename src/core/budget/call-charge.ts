import { prefixSize, type TokenMeter, textTokens } from "../context/token-estimate.ts";
import { inputTokensOf, NO_USAGE, tokensOf, type Usage } from "../protocol/usage.ts";
import type { ModelRequest, StreamEvent } from "../providers/provider.ts";
import { inputTokensAtMost } from "./estimate.ts";

export interface ChargedCall {
  readonly model: string;
  readonly request: ModelRequest;
  /** Size of the model's context window, in tokens. */
  readonly contextWindow: number;
  readonly meter: TokenMeter;
}

/**
 * Charge for one model call whose provider does not report its usage, or not up to the end: what was reported so far,
 * and an estimate of the rest, never above what limits reserve for the call. Unreported input counts as uncached.
 */
export class CallCharge {
  readonly #call: ChargedCall;
  #sent = false;
  #begun = false;
  #counted: Usage = NO_USAGE;
  #ended = false;
  /** Uncorrected size of what has arrived. */
  #arrived = 0;
  /** Maximum output of the call, in tokens. */
  #maxTokens: number;

  constructor(call: ChargedCall) {
    this.#call = call;
    this.#maxTokens = call.request.maxTokens;
  }

  see(event: StreamEvent): void {
    switch (event.type) {
      case "sent":
        this.#sent = true;
        this.#maxTokens = event.maxTokens;
        break;
      case "refused":
        this.#sent = false;
        break;
      case "status":
        break;
      case "usage":
        this.#begun = true;
        this.#counted = event.usage;
        break;
      case "end":
        this.#begun = true;
        this.#counted = event.response.usage;
        this.#ended = tokensOf(this.#counted) > 0;
        break;
      case "text":
      case "thinking":
        this.#arrivedText(event.text);
        break;
      case "tool_input":
        this.#arrivedText(event.json);
        break;
      default:
        this.#arrivedText(event.name);
        break;
    }
  }

  /**
   * Usage of a call that was cut off; null if the provider charges nothing, because it refused the request or never got
   * it. `wasWaiting`: the answer was given up, rather than refused.
   */
  whenCut(wasWaiting: boolean): Usage | null {
    return this.#begun || (this.#sent && wasWaiting) ? this.counted() : null;
  }

  /** Usage of the call so far, as its response reports it, or estimated. */
  counted(): Usage {
    if (this.#ended) return this.#counted;
    const isCounted = inputTokensOf(this.#counted) > 0;
    const input = isCounted ? this.#counted : { ...NO_USAGE, inputTokens: this.#estimatedInput() };
    return { ...input, outputTokens: Math.max(this.#counted.outputTokens, this.#estimatedOutput()) };
  }

  #estimatedInput(): number {
    const { model, request, contextWindow, meter } = this.#call;
    const size = prefixSize(request.system, request.tools) + meter.sizeOf(request.messages);
    return Math.min(meter.corrected(model, size), inputTokensAtMost(request, contextWindow));
  }

  #estimatedOutput(): number {
    const { model, meter } = this.#call;
    return Math.min(meter.corrected(model, this.#arrived), this.#maxTokens);
  }

  #arrivedText(text: string): void {
    this.#begun = true;
    this.#arrived += textTokens(text);
  }
}
