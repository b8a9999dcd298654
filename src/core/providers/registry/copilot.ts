import { z } from "zod";
import { ProviderError } from "../../protocol/errors.ts";
import { type ModelInfo, modelInfo } from "../provider.ts";
import type { WireName } from "../quirks.ts";
import { type Fetch, within } from "../stall.ts";
import { copilotFetch, createCopilotSession } from "./copilot-session.ts";
import { createWireLoader, type Reach, type Wires } from "./wires.ts";

/** A list that is older is read anew for a model that is not in it: new ones come while the program runs. Milliseconds. */
const LIST_HOLDS_MS = 3_600_000;

/**
 * GitHub Copilot: the root comes with the token, the wire of a model with the list of models. Both are shared by all
 * calls, so that none of them ends when one caller gives up.
 */
export function copilotWires(reach: Reach): Wires {
  const { endpoint, clock, log, own } = reach;
  const session = createCopilotSession(endpoint.apiKey ?? "", reach.fetch, clock);
  const fetch = copilotFetch(reach.fetch, session);
  // The wires know no key: the fetch puts the session's token in.
  const load = createWireLoader({ ...reach, endpoint: { ...endpoint, apiKey: null }, fetch });
  let listed: { readonly models: readonly CopilotModel[]; readonly at: number } | null = null;
  let reading: Promise<readonly CopilotModel[]> | null = null;

  function waited<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
    return within(work, { clock, limitMs: reach.answerMs, what: "no answer", signal });
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

  /** As they were read within that time. What was read stays known while it is read anew, and where that fails. */
  async function models(root: string, withinMs: number): Promise<readonly CopilotModel[]> {
    if (listed !== null && clock.now() - listed.at < withinMs) return listed.models;
    reading ??= read(root);
    return reading;
  }

  /** Without the list a call goes out all the same: what is wrong with the list may be nothing to the call. */
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

/** What cannot be read is none of the models. */
const listSchema = z.object({
  data: z.array(z.unknown()).transform((all) => all.flatMap((each) => modelSchema.safeParse(each).data ?? [])),
});

async function copilotModels(fetch: Fetch, root: string): Promise<readonly CopilotModel[]> {
  const response = await fetch(`${root}/models`);
  if (!response.ok) throw new ProviderError("provider_failed", `the list of models answered ${response.status}`);
  return listSchema.parse(await response.json()).data;
}

/** Each vendor's own API first, since it carries thinking and cache marks; Chat Completions where nothing is said. */
function preferredWire(endpoints: readonly string[]): WireName {
  if (endpoints.includes("/v1/messages")) return "anthropic";
  return endpoints.includes("/responses") ? "responses" : "chat";
}

function infoOf({ id, capabilities }: CopilotModel): ModelInfo {
  const { max_context_window_tokens: contextWindow, max_output_tokens: maxOutputTokens } = capabilities?.limits ?? {};
  return modelInfo(id, { contextWindow, maxOutputTokens });
}
