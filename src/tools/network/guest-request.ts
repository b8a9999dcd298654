import { Buffer } from "node:buffer";
import { validateHeaderName, validateHeaderValue } from "node:http";
import { z } from "zod";
import { ACCEPT_ENCODING } from "./body.ts";
import { NetworkRefusal } from "./refusal.ts";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

const requestSchema = z.strictObject({
  url: z.string(),
  method: z.enum(METHODS, `must be one of ${METHODS.join(", ")}`).default("GET"),
  headers: z.record(z.string(), z.string()).default({}),
  body: z.string().optional(),
  /** True for wasi:http, whose bodies are bytes (passed on in base64) and which receives redirects as responses. */
  raw: z.boolean().default(false),
  /** How long the guest waits for the head of the response. */
  timeoutMs: z.number().positive().optional(),
});

/** A validated request, ready to be sent. */
export interface GuestRequest extends Omit<z.infer<typeof requestSchema>, "body"> {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | undefined;
}

/** Maximum characters of all headers together, names included. The call's own limit covers the body. */
const MAX_HEADER_CHARS = 32_768;

/** Headers that frame the request or identify its sender, which the guest may not set. */
export const FRAMING =
  /^(accept-encoding|connection|content-length|date|expect|host|keep-alive|te|trailer|transfer-encoding|upgrade|via|proxy-.*|sec-.*)$/;

const CREDENTIALS = /^(authorization|cookie2?)$/;

/** Parses a guest's request. Throws NetworkRefusal. */
export function parseGuestRequest(text: string): GuestRequest {
  const parsed = requestSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new NetworkRefusal(`The request is not valid: ${issue?.path.join(".") || "it"}: ${issue?.message}.`);
  }
  const { url, method, headers: given, body, raw, timeoutMs } = parsed.data;
  if (body !== undefined && (method === "GET" || method === "HEAD")) {
    throw new NetworkRefusal(`A ${method} request cannot have a body.`);
  }
  const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]));
  for (const [name, value] of Object.entries(headers)) refuseHeader(name, value);
  if (Object.entries(headers).flat().join("").length > MAX_HEADER_CHARS) {
    throw new NetworkRefusal(`The headers of a request can have at most ${MAX_HEADER_CHARS} characters.`);
  }
  const plainText = body === undefined || raw ? {} : { "content-type": "text/plain;charset=UTF-8" };
  const ours = { "user-agent": "Deckhand (program)", accept: "*/*", ...plainText };
  const sent = { ...ours, ...headers, "accept-encoding": ACCEPT_ENCODING };
  const bytes = body !== undefined && raw ? Buffer.from(body, "base64") : body;
  return { url, method, headers: sent, body: bytes, raw, timeoutMs };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new NetworkRefusal("The request is not valid JSON.", cause);
  }
}

function refuseHeader(name: string, value: string): void {
  if (FRAMING.test(name)) throw new NetworkRefusal(`The header ${name} cannot be set.`);
  if (CREDENTIALS.test(name))
    throw new NetworkRefusal(`The header ${name} cannot be sent: requests carry no credentials.`);
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (cause) {
    throw new NetworkRefusal(`The header ${JSON.stringify(name)} is not valid.`, cause);
  }
}
