import type { LlmProvider, ModelRequest, ProviderRegistry, ResolvedModel, StreamEvent } from "../providers/provider.ts";
import { wholeResponse } from "../providers/whole-response.ts";
import { inputTokensAtMost } from "./estimate.ts";
import type { RunBudget } from "./run-budget.ts";

/**
 * The registry of one run with limits: each call of its models is reserved first, and writes no more than the
 * limits leave. Throws BudgetStop in place of a call that could pass one.
 */
export function budgetedRegistry(registry: ProviderRegistry, budget: RunBudget): ProviderRegistry {
  return {
    available: () => registry.available(),
    async resolve(ref) {
      const resolved = await registry.resolve(ref);
      return { ...resolved, provider: budgeted(resolved, budget) };
    },
  };
}

function budgeted({ provider, facts }: ResolvedModel, budget: RunBudget): LlmProvider {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const inputTokens = inputTokensAtMost(request, facts.contextWindow);
    const { model, maxTokens } = request;
    const reserving = budget.reserve({ model, inputTokens, maxTokens, price: facts.price }, signal);
    let next = await reserving.next();
    for (; !next.done; next = await reserving.next()) yield { type: "status", text: next.value };
    const grant = next.value;

    let ended = false;
    try {
      for await (const event of provider.createMessageStream({ ...request, maxTokens: grant.maxTokens }, signal)) {
        ended = event.type === "end";
        yield event;
      }
    } finally {
      if (!ended) await grant.release();
    }
  }
  return {
    id: provider.id,
    name: provider.name,
    listModels: (signal) => provider.listModels(signal),
    createMessageStream: stream,
    createMessage: (request, signal) => wholeResponse(stream(request, signal)),
  };
}
