import { assertNever } from "../../protocol/assert-never.ts";
import type { Log } from "../../protocol/log.ts";
import { readableErrors } from "../error-bodies.ts";
import type { ModelInfo } from "../provider.ts";
import type { WireName } from "../quirks.ts";
import { wholeEvents } from "../stream-event.ts";
import type { Wire, WireOptions } from "../wire.ts";

/** Over which wire a provider's models are spoken to. */
export interface Wires {
  /** May ask the provider first; an abort ends the wait. */
  of(model: string, signal: AbortSignal): Promise<Wire>;
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
}

/** All that it takes to reach a provider; the fetch is guarded against stalls. */
export interface Reach extends WireOptions {
  readonly log: Log;
  /** Milliseconds until an answer must have begun. */
  readonly answerMs: number;
  /** What the operator chose in place of what is usual. */
  readonly own: { readonly wire?: WireName; readonly baseUrl?: string } | undefined;
}

/** A wire at a root; each is made once, and what could not be loaded, as where too many files are open, is loaded anew. */
type WireLoader = (name: WireName, baseUrl: string) => Promise<Wire>;

export function createWireLoader(reach: Reach): WireLoader {
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

/** One wire at one root, for every model. */
export function singleWire(usual: WireName, reach: Reach): Wires {
  const loader = createWireLoader(reach);
  const load = () => loader(reach.own?.wire ?? usual, reach.endpoint.baseUrl);
  return { of: load, listModels: async (signal) => (await load()).listModels(signal) };
}

/** Each SDK costs 10 to 15 MB of memory: only what is used is loaded. */
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
