import { Buffer } from "node:buffer";
import { z } from "zod";
import type { GuestAnswer } from "../../../network/guest-answer.ts";
import { FRAMING } from "../../../network/guest-request.ts";
import type { Ask } from "../../child/http-import.ts";
import type { IoError } from "../streams.ts";
import { type WasiError, WasiFailure } from "../wasi-failure.ts";
import { Fields } from "./fields.ts";
import { FutureIncomingResponse, FutureTrailers, IncomingBody, IncomingResponse, type Received } from "./incoming.ts";
import { type BodyBudget, OutgoingBody, OutgoingRequest, RequestOptions } from "./outgoing.ts";

/** Maximum bytes of all request bodies that an instance holds. */
const MAX_ALL_BODIES = 16_777_216;

/**
 * Never instantiated, since nothing serves requests here. Components that can serve, as some compilers make them,
 * import such classes.
 */
class Unused {
  readonly isServer = true;
}

const received = z.object({ status: z.int(), headers: z.record(z.string(), z.string()), base64: z.base64() });

/**
 * Implements `wasi:http` for one instance. Requests go to the bot, which knows the call's hosts, one at a time. `note`
 * receives why a request was denied, because the error code carries no text.
 */
export function createHttp(ask: Ask, note: (sentence: string) => void): Record<string, object> {
  const budget: BodyBudget = { left: MAX_ALL_BODIES };
  class Request extends OutgoingRequest {
    protected override readonly budget = budget;
  }
  const handle = (request: OutgoingRequest, options: RequestOptions | undefined): FutureIncomingResponse => {
    const body = request.sentBody;
    return new FutureIncomingResponse(
      () => body?.state !== "open",
      () => receivedOf(ask(requestText(request, options)), note),
    );
  };
  return {
    "wasi:http/outgoing-handler": { handle },
    "wasi:http/types": {
      Fields,
      FutureIncomingResponse,
      FutureTrailers,
      IncomingBody,
      IncomingRequest: Unused,
      IncomingResponse,
      OutgoingBody,
      OutgoingRequest: Request,
      OutgoingResponse: Unused,
      RequestOptions,
      ResponseOutparam: Unused,
      httpErrorCode: ({ payload }: IoError): WasiError | undefined =>
        typeof payload === "string" ? undefined : payload,
    },
  };
}

/** Serialises a request for network/guest-request.ts. Throws WasiFailure with an `error-code`. */
function requestText(request: OutgoingRequest, options: RequestOptions | undefined): string {
  const body = request.sentBody;
  if (body?.state === "broken") throw new WasiFailure({ tag: "HTTP-protocol-error" });
  const { tag, val } = request.method();
  const method = (tag === "other" ? String(val) : tag).toUpperCase();
  const scheme = request.scheme()?.tag ?? "HTTPS";
  const authority = request.authority();
  if (authority === undefined) throw new WasiFailure({ tag: "HTTP-request-URI-invalid" });
  const bytes = body?.bytes() ?? Buffer.alloc(0);
  return JSON.stringify({
    url: `${scheme.toLowerCase()}://${authority}${request.pathWithQuery() ?? "/"}`,
    method,
    headers: Object.fromEntries(Object.entries(request.headers().plain()).filter(([name]) => !FRAMING.test(name))),
    ...(bytes.length === 0 ? {} : { body: bytes.toString("base64") }),
    raw: true,
    ...timeoutOf(options),
  });
}

function timeoutOf(options: RequestOptions | undefined): { timeoutMs?: number } {
  const given = [options?.connectTimeout(), options?.firstByteTimeout()].filter((time) => time !== undefined);
  return given.length === 0 ? {} : { timeoutMs: Math.max(1, Math.min(...given.map((time) => Number(time) / 1e6))) };
}

function receivedOf(answer: GuestAnswer, note: (sentence: string) => void): Received {
  if (answer.type === "response") {
    const { status, headers, base64 } = received.parse(JSON.parse(answer.json));
    return { status, headers, body: Uint8Array.from(Buffer.from(base64, "base64")) };
  }
  if (answer.denied !== true) throw new WasiFailure({ tag: "internal-error", val: answer.sentence });
  note(answer.sentence);
  throw new WasiFailure({ tag: "HTTP-request-denied" });
}
