import { z } from "zod";
import { fromJson, isObject } from "../../../core/text/from-json.ts";
import type { JsonObject } from "../catalogue/input-schema.ts";

/**
 * Repairs messages from servers that break the protocol. Many write null for absent values, an `error` beside a result,
 * or extra fields beside both. The SDK ignores such a message altogether, so the request that it answers would wait for
 * ever.
 */

/** Source: JSON-RPC 2.0, Error object: the first code that a server may use freely. */
const FAILED = -32_000;

/** Also accepts errors without a valid code or without a message. */
const errorSchema = z.union([
  z.string().transform((message) => ({ code: FAILED, message })),
  z.looseObject({ code: z.int().catch(FAILED), message: z.string().catch("it gives no reason") }),
]);

/** The messages in a text, which may be a list of them; null if it is not JSON of objects. */
export function tidiedMessages(text: string): readonly unknown[] | null {
  const json = fromJson(text);
  const messages: readonly unknown[] = Array.isArray(json) ? json : [json];
  return messages.every(isObject) ? messages.map(tidied) : null;
}

function tidied(message: JsonObject): unknown {
  const { jsonrpc, id, method, params, result, error } = message;
  if (jsonrpc !== "2.0") return message;
  if (typeof method === "string") {
    const { params: _params, ...rest } = message;
    return { ...rest, ...(isObject(params) ? { params: withoutNulls(params) } : {}) };
  }
  const failure = errorSchema.safeParse(error).data;
  if (failure !== undefined) return { jsonrpc, id, error: failure };
  if (result === undefined) return message;
  return { jsonrpc, id, result: isObject(result) ? tidiedResult(result) : (result ?? {}) };
}

function tidiedResult(result: JsonObject): JsonObject {
  const given = withoutNulls(result);
  return typeof given["protocolVersion"] === "string" ? greeting(given) : given;
}

/** The server's handshake result, which the SDK validates. Parts that nothing here asks about may be missing. */
function greeting({ capabilities, serverInfo, ...result }: JsonObject): JsonObject {
  const has = Object.entries(isObject(capabilities) ? capabilities : {}).filter(
    ([name, what]) => what && name !== "experimental",
  );
  return {
    ...result,
    capabilities: Object.fromEntries(has.map(([name, what]) => [name, isObject(what) ? withoutNulls(what) : {}])),
    serverInfo: { name: "", version: "", ...(isObject(serverInfo) ? withoutNulls(serverInfo) : {}) },
  };
}

function withoutNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== null));
}
