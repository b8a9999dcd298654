import type { LlmProvider, ModelRequest, StreamEvent } from "../../src/core/providers/provider.ts";
import type { ProviderSettings } from "../../src/core/providers/registry/registry.ts";
import type { Fetch } from "../../src/core/providers/stall.ts";
import type { ModelServer } from "../support/model/model-server.ts";

/** One wire under the contract: its genuine SDK against a strict local server. */
export interface WireHarness {
  readonly name: string;
  /** The model as `provider/model`. */
  readonly ref: string;
  startServer(): Promise<ModelServer>;
  /** Text in a request that shows that `thinking("pondering", "sealed")` went back to the model that sent it. */
  readonly thoughtMark: string;
  /** A request with an optional field, and the name of that field on the wire. */
  readonly optional: { readonly request: Partial<ModelRequest>; readonly field: string };
  /** Settings that direct the provider to this server. */
  settings(url: string): ProviderSettings;
  /** Sends requests to addresses that no setting changes. Default: the real fetch. */
  readonly fetch?: Fetch;
  /** Work before a program's first call only; done ahead where a test measures time. */
  beforehand?(provider: LlmProvider): Promise<unknown>;
  /** Number of requests that the wire makes with a refused key. Default 1. */
  readonly requestsOfRefusedKey?: number;
}

/** Reads the events up to the first text. */
export async function textArrives(events: AsyncIterator<StreamEvent>): Promise<void> {
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done) throw new Error("the stream ended without a text");
    if (next.value.type === "text") return;
  }
}
