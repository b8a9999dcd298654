import type { GuestAnswer } from "../../network/guest-answer.ts";
import { GUEST_FETCH_LIMITS, MAX_GUEST_REQUEST, tooManyRequests } from "../../network/limits.ts";
import { Refusal } from "../workspace/refusal.ts";

/** The import `http` (wasm/extension/tool.wit), of our own guests and of extensions. */
interface HttpImport {
  fetch(request: string): string;
}

/** For one instance. `ask` returns when the answer is there. */
export function createHttpImport(ask: (request: string) => GuestAnswer): HttpImport {
  const { requests } = GUEST_FETCH_LIMITS;
  let asked = 0;
  return {
    fetch: (request) => {
      // The bot counts, too; but what it refuses keeps it from its other work, and a guest may ask without end.
      if (++asked > requests) throw new Refusal(tooManyRequests(requests));
      if (request.length > MAX_GUEST_REQUEST) {
        throw new Refusal(`A request has ${MAX_GUEST_REQUEST} characters at most, its body included.`);
      }
      const answer = ask(request);
      if (answer.type === "refused") throw new Refusal(answer.sentence);
      return answer.json;
    },
  };
}
