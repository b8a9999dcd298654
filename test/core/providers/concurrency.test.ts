import { expect, test } from "vitest";
import { ProviderError } from "../../../src/core/protocol/errors.ts";
import { adaptiveConcurrency } from "../../../src/core/providers/concurrency/adaptive-concurrency.ts";
import { type HoldersOf, soleKeyHolder } from "../../../src/core/providers/concurrency/key-holders.ts";
import type { LlmProvider, StreamEvent } from "../../../src/core/providers/provider.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { RESPONSE, request, SmallKey } from "../../support/model/small-key.ts";
import { passTime } from "../../support/pass-time.ts";
import { seededRandom } from "../../support/runtime.ts";

const ENDPOINT: Parameters<HoldersOf>[0] = { id: "small", baseUrl: "http://small", apiKey: "key" };

/** A provider whose key no other process uses. */
function alone(inner: LlmProvider, clock: ManualClock): LlmProvider {
  return adaptiveConcurrency(inner, { clock, random: seededRandom(1) }, soleKeyHolder(ENDPOINT));
}

async function statusesOf(stream: AsyncIterable<StreamEvent>): Promise<string[]> {
  const statuses: string[] = [];
  for await (const event of stream) if (event.type === "status") statuses.push(event.text);
  return statuses;
}

const never = new AbortController().signal;

function names(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `call ${index}`);
}

test("calls are not limited until one is refused", async () => {
  const clock = new ManualClock();
  const inner = new SmallKey(clock, 50);
  const provider = alone(inner, clock);
  const calls = names(50).map((name) => statusesOf(provider.createMessageStream(request(name), never)));
  await clock.advance(2_000);
  expect((await Promise.all(calls)).flat()).toEqual([]);
  expect(inner.most).toBe(50);
});

test.each([
  { takes: 1, retryAfterMs: 3_000 },
  { takes: 3, retryAfterMs: 1_000 },
  { takes: 3, retryAfterMs: undefined },
  { takes: 20, retryAfterMs: 500 },
])(
  "fifty calls are all answered by a key that allows $takes concurrent ones (retry after $retryAfterMs ms)",
  async (key) => {
    const clock = new ManualClock();
    const inner = new SmallKey(clock, key.takes, key.retryAfterMs);
    const provider = alone(inner, clock);
    const calls = Promise.all(
      names(50).map(async (name) => {
        for (let tries = 0; ; tries += 1) {
          try {
            return await provider.createMessage(request(name), never);
          } catch (error) {
            // A call may be refused even when it is alone; the caller then retries, as the loop does four times.
            if (tries === 4 || !(error instanceof ProviderError)) throw error;
            await clock.sleep(2_000, never);
          }
        }
      }),
    );
    await passTime(clock, calls);
    expect((await calls).map(({ content }) => content)).toEqual(names(50).map(() => RESPONSE.content));
    expect(inner.refusals).toBeLessThan(300);
  },
);

test("the oldest call starts first, and each waiting call reports its queue position once", async () => {
  const clock = new ManualClock();
  const inner = new SmallKey(clock, 2, 1_000);
  const provider = alone(inner, clock);
  const calls = Promise.all(names(6).map((name) => statusesOf(provider.createMessageStream(request(name), never))));
  await passTime(clock, calls);
  expect(inner.answered).toEqual(names(6));
  const statuses = await calls;
  expect(statuses.slice(0, 2)).toEqual([[], []]);
  expect(statuses[2]).toEqual(["⏳ Waiting for Small; I am next."]);
  expect(statuses[5]).toEqual([expect.stringMatching(/^⏳ Waiting for Small, [1-3] before me\.$/)]);
});

test("a refusal of a sole call, or with a wait of more than a minute, is passed to the caller", async () => {
  const clock = new ManualClock();
  const none = alone(new SmallKey(clock, 0, 1_000), clock);
  await expect(none.createMessage(request("m"), never)).rejects.toMatchObject({ code: "rate_limited" });
  const long = alone(new SmallKey(clock, 1, 61_000), clock);
  const [first, second] = names(2).map((name) => long.createMessage(request(name), never));
  await expect(second).rejects.toMatchObject({ retryAfterMs: 61_000 });
  await clock.advance(2_000);
  await expect(first).resolves.toEqual(RESPONSE);
});

test("an aborted waiting call leaves its slot to the next", async () => {
  const clock = new ManualClock();
  const inner = new SmallKey(clock, 1, 1_000);
  const provider = alone(inner, clock);
  const stopping = new AbortController();
  const first = provider.createMessage(request("call 0"), never);
  const stopped = provider.createMessage(request("stopped"), stopping.signal);
  const last = provider.createMessage(request("call 1"), never);
  await clock.advance(100);
  stopping.abort(new Error("stop"));
  await expect(stopped).rejects.toThrow("stop");
  await passTime(clock, Promise.all([first, last]));
  expect(inner.answered).toEqual(["call 0", "call 1"]);
  expect(clock.pending).toBe(0);
});

test("a consumer that leaves early releases its slot", async () => {
  const clock = new ManualClock();
  const inner = new SmallKey(clock, 1, 1_000);
  const provider = alone(inner, clock);
  const leaving = (async () => {
    for await (const event of provider.createMessageStream(request("left"), never)) if (event.type === "text") return;
  })();
  const next = provider.createMessage(request("next"), never);
  await passTime(clock, Promise.all([leaving, next]));
  expect(inner.answered).toEqual(["next"]);
  expect(inner.going).toBe(0);
});
