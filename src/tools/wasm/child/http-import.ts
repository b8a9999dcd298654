import type { GuestAnswer } from "../../network/guest-answer.ts";
import { GUEST_FETCH_LIMITS, MAX_GUEST_REQUEST, tooManyRequests } from "../../network/limits.ts";
import { Refusal } from "../workspace/refusal.ts";

/** The import `http` (wasm/extension/tool.wit) of Deckhand's own guests and of extensions. */
interface HttpImport {
  fetch(request: string): string;
}

/** Asks the bot for a fetch and blocks until it answers. */
export type Ask = (request: string) => GuestAnswer;

/**
 * Limits the requests of one instance. The bot counts too, but each refusal takes its time, and a guest could ask
 * endlessly.
 */
export function boundedAsk(ask: Ask): Ask {
  const { requests } = GUEST_FETCH_LIMITS;
  let asked = 0;
  return (request) => {
    if (++asked > requests) return { type: "refused", sentence: tooManyRequests(requests) };
    if (request.length <= MAX_GUEST_REQUEST) return ask(request);
    const sentence = `A request can have at most ${MAX_GUEST_REQUEST} characters, including its body.`;
    return { type: "refused", sentence };
  };
}

export function createHttpImport(ask: Ask): HttpImport {
  return {
    fetch: (request) => {
      const answer = ask(request);
      if (answer.type === "refused") throw new Refusal(answer.sentence);
      return answer.json;
    },
  };
}
