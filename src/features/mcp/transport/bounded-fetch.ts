import type { FetchLike } from "@modelcontextprotocol/client";
import { AppError } from "../../../core/protocol/errors.ts";

/** Bytes of one message of a server, as with a server over stdio. */
const MAX_MESSAGE_BYTES = 10_000_000;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * `fetch` whose response bodies break off beyond the limit: a plain body as a whole, an event stream per event, since
 * one that stays open may carry any number of them.
 */
export const boundedFetch: FetchLike = async (url, init) => {
  const response = await fetch(url, init);
  if (response.body === null) return response;
  const events = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  const body = response.body.pipeThrough(limited(events));
  const { status, statusText, headers } = response;
  const bounded = new Response(body, { status, statusText, headers });
  // A response that is made by hand has no address of its own, which redirects are judged by.
  Object.defineProperties(bounded, {
    url: { value: response.url },
    redirected: { value: response.redirected },
    type: { value: response.type },
  });
  return bounded;
};

function limited(events: boolean): TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>> {
  let bytes = 0;
  let blank = false;
  return new TransformStream({
    transform(chunk, controller) {
      if (!events) bytes += chunk.length;
      else {
        for (const byte of chunk) {
          if (byte === CARRIAGE_RETURN) continue;
          const lineEnds = byte === LINE_FEED;
          bytes = lineEnds && blank ? 0 : bytes + 1;
          blank = lineEnds;
        }
      }
      if (bytes > MAX_MESSAGE_BYTES) controller.error(new AppError("network", "the server's message is too large"));
      else controller.enqueue(chunk);
    },
  });
}
