import { assertNever } from "../protocol/assert-never.ts";
import type { Clock, Ids } from "../protocol/runtime.ts";
import type { ModelInfo, ModelRequest, StreamEvent } from "./provider.ts";
import type { Quirks } from "./quirks.ts";
import type { Fetch } from "./stall.ts";

/** Where a provider is, and how it wants to be spoken to. */
export interface Endpoint {
  readonly id: string;
  readonly name: string;
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly keyVariable: string | null;
  readonly quirks: Quirks;
}

export interface WireOptions {
  readonly endpoint: Endpoint;
  /** Already guarded against stalls. */
  readonly fetch: Fetch;
  readonly clock: Clock;
  readonly ids: Ids;
}

/** A request as it goes out, apart from the optional fields that the provider has refused before. */
export interface WireCall {
  readonly request: ModelRequest;
  /** With `THOUGHTLESS` among them, it has refused answers of earlier turns without what had been thought. */
  readonly refusedFields: ReadonlySet<string>;
}

export const THOUGHTLESS = "answers without thoughts";

/**
 * One of the three APIs over its SDK. `stream` yields `end` only after the API's own terminal marker; it
 * may throw anything, and end silently when its signal aborts: provider-call.ts makes that regular.
 */
export interface Wire {
  stream(call: WireCall, signal: AbortSignal): AsyncIterable<StreamEvent>;
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Fields of the call's body that it works without; dropped for a model once its provider refuses them. */
  optionalFields(call: WireCall): readonly string[];
}

/** The SDKs log to the console on their own accord otherwise; retries, timeouts and logs are ours. */
export const QUIET_CLIENT = {
  maxRetries: 0,
  /** Milliseconds. Far above our own limits (stall.ts), which end a call first. */
  timeout: 3_600_000,
  logLevel: "off",
} as const;

/** Headers that carry the key; null takes away what the SDK would send. */
export function authHeaders({ apiKey, quirks }: Endpoint): Record<string, string | null> {
  if (apiKey === null) return { authorization: null };
  switch (quirks.auth) {
    case "bearer":
      return {};
    case "x-api-key":
    case "api-key":
      return { authorization: null, [quirks.auth]: apiKey };
    default:
      return assertNever(quirks.auth);
  }
}
