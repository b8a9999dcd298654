import { z } from "zod";
import { fromJson, isObject } from "../../../core/text/from-json.ts";

/**
 * What servers send, as the protocol has it. Many write null for what they have no value for, an `error` beside a result, or
 * fields of their own beside both. The SDK passes over such a message as a whole, and the request that it answers
 * would wait for ever.
 */

type JsonObject = Readonly<Record<string, unknown>>;

/** Source: JSON-RPC 2.0, Error object: the first of those that a server may use as it likes. */
const FAILED = -32_000;

/** Errors without a code that is one, or without words, too. */
const errorSchema = z.union([
  z.string().transform((message) => ({ code: FAILED, message })),
  z.looseObject({ code: z.int().catch(FAILED), message: z.string().catch("it gives no reason") }),
]);

/** The messages of a text, which may be a list of them; null where it is no JSON of such. */
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

/** What a server says of itself in the handshake, which the SDK looks into: that of which nothing is asked may be missing. */
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
