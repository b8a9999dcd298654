import type { LlmProvider, ModelRequest, ProviderRegistry, ResolvedModel, StreamEvent } from "../providers/provider.ts";
import { withStream } from "../providers/whole-response.ts";
import { inputTokensAtMost } from "./estimate.ts";
import { hasLimits } from "./limits.ts";
import { RunBudget, type RunBudgetOptions } from "./run-budget.ts";

/** Returns the registry through which one run calls its models, unchanged if nothing limits the run. */
export function withRunBudget(options: RunBudgetOptions, registry: ProviderRegistry): ProviderRegistry {
  return hasLimits(options.settings) ? budgetedRegistry(registry, new RunBudget(options)) : registry;
}

/**
 * Reserves each call of the registry's models first, and lets it write no more than the limits leave. Throws BudgetStop
 * instead of making a call that could pass a limit.
 */
function budgetedRegistry(registry: ProviderRegistry, budget: RunBudget): ProviderRegistry {
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
    const call = { model: `${provider.id}/${request.model}`, inputTokens, maxTokens: request.maxTokens };
    const maxTokens: number = yield* budget.reserve({ ...call, price: facts.price }, signal);
    yield* provider.createMessageStream({ ...request, maxTokens }, signal);
  }
  return withStream(provider, stream);
}
