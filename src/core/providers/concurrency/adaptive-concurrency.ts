import { ProviderError } from "../../protocol/errors.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import type { LlmProvider, ModelRequest, StreamEvent } from "../provider.ts";
import { withStream } from "../whole-response.ts";
import { CallQueue } from "./call-queue.ts";
import type { KeyHolders } from "./key-holders.ts";

/** Wait after a refusal that names no time. In milliseconds. */
const DEFAULT_WAIT_MS = 1_000;
/** If a provider asks for a longer wait, the call fails instead. In milliseconds. */
const LONGEST_WAIT_MS = 60_000;

/**
 * Limits a provider's concurrent calls to what its key allows. There is no limit until the provider refuses a call
 * (429); then the limit is half of the running calls, and grows a little with each success (AIMD). A refused call keeps
 * its place in the queue and is repeated; people only see a status. A call refused while no other ran, in this process
 * or another, has hit another kind of limit, so its error goes to the caller.
 */
export function adaptiveConcurrency(
  provider: LlmProvider,
  runtime: Pick<Runtime, "clock" | "random">,
  holders: KeyHolders,
): LlmProvider {
  const queue = new CallQueue(runtime, holders);

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const ticket = queue.ticket();
    let hasAnnounced = false;
    for (;;) {
      using place = queue.enter(ticket, signal);
      if (place.before !== null && !hasAnnounced) {
        hasAnnounced = true;
        yield { type: "status", text: waitingText(provider.name, place.before), passes: true };
      }
      await place.entered;

      let begun = false;
      try {
        for await (const event of provider.createMessageStream(request, signal)) {
          if (!begun && event.type !== "sent") place.answered();
          begun ||= event.type !== "sent";
          if (event.type === "end") queue.succeeded();
          yield event;
        }
        return;
      } catch (error) {
        const waitMs = begun ? null : askedWait(error);
        if (waitMs === null || place.refused(waitMs) === "alone") throw error;
        yield { type: "refused" };
      }
    }
  }

  return withStream(provider, stream);
}

/** The wait that a refusal for too many calls asks for; null for any other failure, and for a wait that is too long. */
function askedWait(error: unknown): number | null {
  if (!(error instanceof ProviderError) || error.code !== "rate_limited") return null;
  const waitMs = error.retryAfterMs ?? DEFAULT_WAIT_MS;
  return waitMs > LONGEST_WAIT_MS ? null : waitMs;
}

function waitingText(provider: string, before: number): string {
  return before === 0 ? `⏳ Waiting for ${provider}; I am next.` : `⏳ Waiting for ${provider}, ${before} before me.`;
}
