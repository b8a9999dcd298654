import { assertNever } from "../../protocol/assert-never.ts";
import type { Log } from "../../protocol/log.ts";
import { readableErrors } from "../error-bodies.ts";
import type { ModelInfo } from "../provider.ts";
import type { WireName } from "../quirks.ts";
import { wholeEvents } from "../stream-event.ts";
import type { Wire, WireOptions } from "../wire.ts";

export interface Wires {
  /** May send a request to the provider first; an abort ends the wait. */
  of(model: string, signal: AbortSignal): Promise<Wire>;
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
}

/** Everything needed to reach a provider. The fetch is guarded against stalls. */
export interface ProviderConnection extends WireOptions {
  readonly log: Log;
  /** Milliseconds within which an answer must begin. */
  readonly answerMs: number;
  /** The operator's overrides. */
  readonly own: { readonly wire?: WireName; readonly baseUrl?: string } | undefined;
}

/** Loads each wire at a root once. If loading fails, as with too many open files, the next call tries again. */
export function createWireLoader(reach: ProviderConnection): (name: WireName, baseUrl: string) => Promise<Wire> {
  const { endpoint, log } = reach;
  const fetch = wholeEvents(readableErrors(reach.fetch));
  const made = new Map<string, Promise<Wire>>();
  return (name, baseUrl) => {
    const key = `${name} ${baseUrl}`;
    const known = made.get(key);
    if (known !== undefined) return known;
    log.info({ provider: endpoint.id, wire: name }, "provider.load");
    const wire = loadWire(name, { ...reach, fetch, endpoint: { ...endpoint, baseUrl } });
    made.set(key, wire);
    wire.catch(() => made.delete(key));
    return wire;
  };
}

/** One wire at one root, for all models. */
export function singleWire(usual: WireName, reach: ProviderConnection): Wires {
  const loader = createWireLoader(reach);
  const load = () => loader(reach.own?.wire ?? usual, reach.endpoint.baseUrl);
  return { of: load, listModels: async (signal) => (await load()).listModels(signal) };
}

/** Loads only the SDK that is used, since each takes 10 to 15 MB of memory. */
async function loadWire(wire: WireName, options: WireOptions): Promise<Wire> {
  switch (wire) {
    case "anthropic":
      return (await import("../anthropic/anthropic-messages.ts")).createAnthropicMessages(options);
    case "responses":
      return (await import("../openai/openai-responses.ts")).createOpenAiResponses(options);
    case "chat":
      return (await import("../openai/openai-chat.ts")).createOpenAiChat(options);
    default:
      return assertNever(wire);
  }
}
