import type { FetchLike } from "@modelcontextprotocol/client";
import { Lines, MAX_MESSAGE_BYTES, tooLarge } from "./lines.ts";
import { tidiedMessages } from "./tidy-message.ts";

type Dispatcher = NonNullable<RequestInit["dispatcher"]>;

/**
 * A dispatcher without timeouts, since callers have their own: by default `fetch` gives up after five minutes without a
 * byte, and calls may take longer. Null before the first `fetch` of the process. Source: undici, `lib/global.js` and
 * docs, Dispatcher.
 */
function patientDispatcher(): Dispatcher | null {
  const dispatcher: Dispatcher | undefined = Reflect.get(globalThis, Symbol.for("undici.globalDispatcher.1"));
  const patient = dispatcher?.compose((dispatch) => (options, handler) => {
    return dispatch({ ...options, headersTimeout: 0, bodyTimeout: 0 }, handler);
  });
  return patient ?? null;
}

/** For the transport that receives all answers over one stream opened by GET. */
export const boundedStreamFetch: FetchLike = (url, init) => boundedBy(url, init, patientDispatcher());

/**
 * `fetch` whose response bodies fail beyond the size limit: a plain body as a whole, an event stream per event, since
 * an open stream may carry any number. Also tidies the messages in them.
 */
export const boundedFetch: FetchLike = (url, init) =>
  // A stream opened by GET carries no answers here and is reopened when it ends, so it keeps the default timeouts.
  boundedBy(url, init, init?.method === "POST" ? patientDispatcher() : null);

async function boundedBy(url: string | URL, init: RequestInit = {}, dispatcher: Dispatcher | null): Promise<Response> {
  const response = await fetch(url, dispatcher === null ? init : { ...init, dispatcher });
  if (response.body === null) return response;
  const events = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = response.body.pipeThrough(events ? tidiedEvents() : tidiedWhole());
  const { status, statusText, headers } = response;
  const bounded = new Response(body, { status, statusText, headers });
  // A constructed response has no URL, which the SDK needs to judge redirects.
  Object.defineProperties(bounded, {
    url: { value: response.url },
    redirected: { value: response.redirected },
    type: { value: response.type },
  });
  return bounded;
}

type Tidying = TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>;

const encoder = new TextEncoder();

function tidiedEvents(): Tidying {
  const lines = new Lines();
  let chars = 0;
  return new TransformStream({
    transform(part, controller) {
      for (const line of lines.take(part)) {
        chars = line.trim() === "" ? 0 : chars + line.length;
        if (chars > MAX_MESSAGE_BYTES) throw tooLarge();
        controller.enqueue(encoder.encode(`${tidiedLine(line)}\n`));
      }
    },
    // The last event may lack its closing blank line.
    flush: (controller) => controller.enqueue(encoder.encode(`${tidiedLine(lines.rest())}\n\n`)),
  });
}

const DATA = "data:";

/** Splits a list of messages into one event for each. */
function tidiedLine(line: string): string {
  const messages = line.startsWith(DATA) ? tidiedMessages(line.slice(DATA.length)) : null;
  return messages?.map((message) => `${DATA} ${JSON.stringify(message)}`).join("\n\n") ?? line;
}

function tidiedWhole(): Tidying {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  return new TransformStream({
    transform(part) {
      bytes += part.length;
      if (bytes > MAX_MESSAGE_BYTES) throw tooLarge();
      parts.push(part);
    },
    flush(controller) {
      const text = Buffer.concat(parts).toString();
      const messages = tidiedMessages(text);
      const tidy = messages?.length === 1 ? messages[0] : messages;
      controller.enqueue(encoder.encode(tidy === null ? text : JSON.stringify(tidy)));
    },
  });
}
