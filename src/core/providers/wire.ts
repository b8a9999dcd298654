import type { Clock, Ids } from "../protocol/runtime.ts";
import type { ModelInfo, ModelRequest, StreamEvent } from "./provider.ts";
import type { Quirks } from "./quirks.ts";
import type { Fetch } from "./stall.ts";

/** A provider's address and peculiarities. */
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

/** A request to send, without the optional fields that the provider has rejected before. */
export interface WireCall {
  readonly request: ModelRequest;
  /** Includes `WITHOUT_REASONING` if the provider has rejected answers of earlier turns without their reasoning. */
  readonly refusedFields: ReadonlySet<string>;
}

export const WITHOUT_REASONING = "answers without thoughts";

/**
 * One of the three APIs over its SDK. `stream` yields `end` only after the API's own terminal marker. It may throw
 * anything, and end silently on an abort; provider-call.ts normalises that.
 */
export interface Wire {
  stream(call: WireCall, signal: AbortSignal): AsyncIterable<StreamEvent>;
  listModels(signal: AbortSignal): Promise<readonly ModelInfo[]>;
  /** Fields of the call's body that are optional; they are omitted for a model once its provider rejects them. */
  optionalFields(call: WireCall): readonly string[];
}

/** Client options. The SDKs would otherwise log to the console; retries and timeouts are handled elsewhere. */
export const QUIET_CLIENT = {
  maxRetries: 0,
  /** In milliseconds. Far above the limits in stall.ts, which end a call first. */
  timeout: 3_600_000,
  logLevel: "off",
} as const;

/** Headers with the key; null removes a header that the SDK would send. */
export function authHeaders({ apiKey, quirks }: Endpoint): Record<string, string | null> {
  if (apiKey === null) return { authorization: null };
  return quirks.auth === "bearer" ? {} : { authorization: null, [quirks.auth]: apiKey };
}
