import { ProviderError } from "../../protocol/errors.ts";
import type { Runtime } from "../../protocol/runtime.ts";
import type { LlmProvider, ModelRequest, StreamEvent } from "../provider.ts";
import { withStream } from "../whole-response.ts";
import { CallQueue } from "./call-queue.ts";
import type { KeyHolders } from "./key-holders.ts";

/** When a refusal does not say how long to wait. Milliseconds. */
const UNSAID_WAIT_MS = 1_000;
/** A provider that asks for more than this is the caller's to leave. Milliseconds. */
const LONGEST_WAIT_MS = 60_000;

/**
 * A provider whose calls go on as many at once as its key takes. Nothing is limited until the provider refuses
 * a call (429); from then on half as many go on at once, and a little more with each one that succeeds (AIMD).
 * A refused call waits its turn and is made again, in the place it had; only a status tells of it. A call that
 * was refused though none went on beside it, in this process or another, has met a limit of another kind: its error is the
 * caller's.
 */
export function adaptiveConcurrency(
  provider: LlmProvider,
  runtime: Pick<Runtime, "clock" | "random">,
  holders: KeyHolders,
): LlmProvider {
  const queue = new CallQueue(runtime, holders);

  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    const ticket = queue.ticket();
    let told = false;
    for (;;) {
      using place = queue.enter(ticket, signal);
      if (place.before !== null && !told) {
        told = true;
        yield { type: "status", text: waitingText(provider.name, place.before), passes: true };
      }
      await place.entered;

      let begun = false;
      try {
        for await (const event of provider.createMessageStream(request, signal)) {
          if (!begun && event.type !== "sent") queue.answered(place);
          begun ||= event.type !== "sent";
          if (event.type === "end") queue.succeeded();
          yield event;
        }
        return;
      } catch (error) {
        const waitMs = begun ? null : askedWait(error);
        if (waitMs === null || queue.refused(place, waitMs) === "alone") throw error;
        yield { type: "refused" };
      }
    }
  }

  return withStream(provider, stream);
}

/** How long a refusal for too many calls asks to wait; null for any other failure, and for too long a wait. */
function askedWait(error: unknown): number | null {
  if (!(error instanceof ProviderError) || error.code !== "rate_limited") return null;
  const waitMs = error.retryAfterMs ?? UNSAID_WAIT_MS;
  return waitMs > LONGEST_WAIT_MS ? null : waitMs;
}

function waitingText(provider: string, before: number): string {
  return before === 0 ? `⏳ Waiting for ${provider}; I am next.` : `⏳ Waiting for ${provider}, ${before} before me.`;
}
