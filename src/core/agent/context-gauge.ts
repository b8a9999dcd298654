import { projectHistory } from "../context/projection.ts";
import { messagesForModel } from "../context/request-messages.ts";
import { prefixSize } from "../context/token-estimate.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Message, ToolUseBlock } from "../protocol/messages.ts";
import { inputTokensOf, type Usage } from "../protocol/usage.ts";
import type { ModelFacts, ModelRequest, ResolvedModel, ToolSpec } from "../providers/provider.ts";
import type { OpenRun } from "./open-run.ts";
import type { Query, QueryRun } from "./query-input.ts";
import { titleOf } from "./tool-decision.ts";

/** Minimum output tokens of a request, even if the estimate says that the window is full. */
export const MIN_OUTPUT = 1_024;

/** Tells what a run's next request carries of the history and how much of the model's window it fills. */
export class ContextGauge {
  readonly #query: Query;
  readonly #run: OpenRun;
  readonly #tools: readonly ToolSpec[];
  readonly #prefixSize: number;

  constructor(query: Query, run: OpenRun, tools: readonly ToolSpec[]) {
    this.#query = query;
    this.#run = run;
    this.#tools = tools;
    this.#prefixSize = prefixSize(query.system, tools);
  }

  get model(): string {
    return nextModel({ query: this.#query, run: this.#run });
  }

  /** The history as the next request carries it. */
  messages(): Message[] {
    const { messages, projection } = this.#run.state;
    return projectHistory(messages, projection, (use) => this.titleOf(use));
  }

  /** A call's short argument. */
  titleOf(use: ToolUseBlock): string {
    return titleOf(this.#query.tools, use);
  }

  /**
   * Estimated input tokens of the next request: the measured size of the newest exchange plus later messages, or an
   * estimate of the whole request if nothing was measured.
   */
  inputTokens(): number {
    const { meter } = this.#query;
    const { messages, lastMeasured } = this.#run.state;
    if (lastMeasured === null) return meter.corrected(this.model, this.#prefixSize + meter.sizeOf(this.messages()));
    return lastMeasured.tokens + meter.corrected(this.model, meter.sizeOf(messages.slice(lastMeasured.messages)));
  }

  /** Calibrates the meter with the input tokens that the provider counted for the latest request. */
  learn(usage: Usage): void {
    const { meter } = this.#query;
    const size = this.#prefixSize + meter.sizeOf(this.messages());
    meter.learn(this.model, size, inputTokensOf(usage));
  }

  /** The next turn's request. Its output limit is what remains of the window. */
  request({ model, facts }: ResolvedModel): ModelRequest {
    const { config, system, cacheKey } = this.#query;
    const temperature = config.temperature ?? config.agentDefinition.temperature;
    const left = Math.max(MIN_OUTPUT, windowIn(this.#query, facts) - this.inputTokens());
    return {
      model,
      system,
      messages: messagesForModel(this.messages()),
      tools: this.#tools,
      maxTokens: Math.min(config.maxTokens, facts.maxOutputTokens, left),
      cacheKey,
      ...(temperature === undefined || facts.takesTemperature === false ? {} : { temperature }),
      ...(config.thinkingBudget === undefined ? {} : { thinkingBudget: config.thinkingBudget }),
      ...(config.effortLevel === undefined ? {} : { effortLevel: config.effortLevel }),
    };
  }
}

/** `provider/model` of the run's next call. */
export function nextModel({ query, run }: QueryRun): string {
  return run.state.switchedTo ?? query.config.model;
}

/** Size of the context window, in tokens. */
export function windowIn({ config }: Query, { contextWindow }: ModelFacts): number {
  return config.contextWindow ?? contextWindow;
}

/**
 * Size of the next model's context window, in tokens. Null if the model cannot be resolved; the call itself then
 * reports why.
 */
export async function contextWindowOf({ query, run }: QueryRun): Promise<number | null> {
  const model = nextModel({ query, run });
  try {
    const { facts } = await query.registry.resolve(model);
    return windowIn(query, facts);
  } catch (error) {
    query.log.debug({ code: toAppError(error).code, model }, "window_unknown");
    return null;
  }
}
