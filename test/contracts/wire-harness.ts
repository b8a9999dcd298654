import type { LlmProvider, ModelRequest, StreamEvent } from "../../src/core/providers/provider.ts";
import type { ProviderSettings } from "../../src/core/providers/registry/registry.ts";
import type { Fetch } from "../../src/core/providers/stall.ts";
import type { ModelServer } from "../support/model/model-server.ts";

/** One wire under the contract: the genuine SDK against a strict local server. */
export interface WireHarness {
  readonly name: string;
  /** `provider/model`. */
  readonly ref: string;
  startServer(): Promise<ModelServer>;
  /** What of `thinking("pondering", "sealed")` goes back to the same model. */
  readonly thoughtMark: string;
  /** A request that carries an optional field, and the field's name on the wire. */
  readonly optional: { readonly request: Partial<ModelRequest>; readonly field: string };
  /** What to set so that the server's answers are found. */
  settings(url: string): ProviderSettings;
  /** How requests to addresses that no setting names are made. */
  readonly fetch?: Fetch;
  /** What precedes a program's first call only: it takes no time where a test counts it. */
  beforehand?(provider: LlmProvider): Promise<unknown>;
  /** Requests that a refused key takes. Default 1. */
  readonly requestsOfRefusedKey?: number;
}

/** Reads up to the first text. */
export async function textArrives(events: AsyncIterator<StreamEvent>): Promise<void> {
  for (let next = await events.next(); ; next = await events.next()) {
    if (next.done) throw new Error("the stream ended without a text");
    if (next.value.type === "text") return;
  }
}
