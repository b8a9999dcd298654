import { z } from "zod";
import { ProviderError } from "../../protocol/errors.ts";
import { type ModelInfo, modelInfo } from "../provider.ts";
import type { WireName } from "../quirks.ts";
import { type Fetch, rejectIfStalled } from "../stall.ts";
import { copilotFetch, createCopilotSession } from "./copilot-session.ts";
import { createWireLoader, type ProviderConnection, type Wires } from "./wires.ts";

/** An older list is read again for a model that is not in it, since new models appear. In milliseconds. */
const LIST_HOLDS_MS = 3_600_000;

/**
 * GitHub Copilot: the token determines the root, and the list of models each model's wire. All calls share both
 * requests, so that neither ends when one caller gives up.
 */
export function copilotWires(reach: ProviderConnection): Wires {
  const { endpoint, clock, log, own } = reach;
  const session = createCopilotSession(endpoint.apiKey ?? "", reach.fetch, clock);
  const fetch = copilotFetch(reach.fetch, session);
  // The wires get no key, because the fetch adds the session's token.
  const load = createWireLoader({ ...reach, endpoint: { ...endpoint, apiKey: null }, fetch });
  let listed: { readonly models: readonly CopilotModel[]; readonly at: number } | null = null;
  let reading: Promise<readonly CopilotModel[]> | null = null;

  function waited<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    return rejectIfStalled(work, { clock, limitMs: reach.answerMs, what: "no answer", signal });
  }

  async function rootOf(signal: AbortSignal): Promise<string> {
    const token = await waited(session.current(), signal);
    return own?.baseUrl === undefined ? (token.root ?? endpoint.baseUrl) : endpoint.baseUrl;
  }

  async function read(root: string): Promise<readonly CopilotModel[]> {
    try {
      const models = await copilotModels(fetch, root);
      listed = { models, at: clock.now() };
      return models;
    } catch (error) {
      if (listed !== null) listed = { ...listed, at: clock.now() };
      throw error;
    } finally {
      reading = null;
    }
  }

  /** The list, if it was read within this time. The old list stays known while it is read again, and if that fails. */
  async function models(root: string, withinMs: number): Promise<readonly CopilotModel[]> {
    if (listed !== null && clock.now() - listed.at < withinMs) return listed.models;
    reading ??= read(root);
    return reading;
  }

  /** Without a list the call is sent anyway, since the problem may concern only the list. */
  async function wireNameOf(model: string, root: string, signal: AbortSignal): Promise<WireName> {
    const find = async (withinMs: number) =>
      (await waited(models(root, withinMs), signal)).find(({ id }) => id === model);
    try {
      const known = (await find(Number.POSITIVE_INFINITY)) ?? (await find(LIST_HOLDS_MS));
      return preferredWire(known?.supported_endpoints ?? []);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, "copilot.models");
      return "chat";
    }
  }

  return {
    async of(model, signal) {
      const root = await rootOf(signal);
      return load(own?.wire ?? (await wireNameOf(model, root, signal)), root);
    },
    async listModels(signal) {
      return (await waited(models(await rootOf(signal), LIST_HOLDS_MS), signal)).map(infoOf);
    },
  };
}

const modelSchema = z.object({
  id: z.string(),
  supported_endpoints: z.array(z.string()).nullish(),
  capabilities: z
    .object({
      limits: z
        .object({ max_context_window_tokens: z.number().nullish(), max_output_tokens: z.number().nullish() })
        .nullish(),
    })
    .nullish(),
});
type CopilotModel = z.infer<typeof modelSchema>;

/** Malformed models are dropped. */
const listSchema = z.object({
  data: z.array(z.unknown()).transform((all) => all.flatMap((each) => modelSchema.safeParse(each).data ?? [])),
});

async function copilotModels(fetch: Fetch, root: string): Promise<readonly CopilotModel[]> {
  const response = await fetch(`${root}/models`);
  if (!response.ok) throw new ProviderError("provider_failed", `the list of models answered ${response.status}`);
  return listSchema.parse(await response.json()).data;
}

/** Prefers each vendor's own API, because it supports thinking and cache marks; Chat Completions if none is named. */
function preferredWire(endpoints: readonly string[]): WireName {
  if (endpoints.includes("/v1/messages")) return "anthropic";
  return endpoints.includes("/responses") ? "responses" : "chat";
}

function infoOf({ id, capabilities }: CopilotModel): ModelInfo {
  const { max_context_window_tokens: contextWindow, max_output_tokens: maxOutputTokens } = capabilities?.limits ?? {};
  return modelInfo(id, { contextWindow, maxOutputTokens });
}
