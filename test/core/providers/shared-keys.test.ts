import { expect, test } from "vitest";
import { adaptiveConcurrency } from "../../../src/core/providers/concurrency/adaptive-concurrency.ts";
import { type HoldersOf, soleKeyHolder } from "../../../src/core/providers/concurrency/key-holders.ts";
import type { LlmProvider } from "../../../src/core/providers/provider.ts";
import { sharedKeys } from "../../../src/core/store/cluster/shared-keys.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { MemoryWords } from "../../support/memory-words.ts";
import { RESPONSE, request, SmallKey } from "../../support/model/small-key.ts";
import { passTime } from "../../support/pass-time.ts";
import { seededRandom } from "../../support/runtime.ts";
import { silentLog } from "../../support/silent-log.ts";

const ENDPOINT: Parameters<HoldersOf>[0] = { id: "small", baseUrl: "http://small", apiKey: "sk-the-key" };
const never = new AbortController().signal;

interface Place {
  readonly clock: ManualClock;
  readonly words: MemoryWords;
}

function place(processes: number): Place {
  const clock = new ManualClock();
  return { clock, words: new MemoryWords(clock, processes) };
}

/** The provider as each of several processes has it. */
function processes(inner: LlmProvider, { clock, words }: Place, endpoint = ENDPOINT): LlmProvider[] {
  return Array.from({ length: words.size }, (_, index) => {
    const holders = sharedKeys({ ...words.replica(index), log: silentLog })(endpoint);
    return adaptiveConcurrency(inner, { clock, random: seededRandom(index) }, holders);
  });
}

/** Number of refusals in thirty conversations of four calls, spread over the providers; rejects if a call does. */
async function refusalsOf(key: SmallKey, clock: ManualClock, providers: readonly LlmProvider[]): Promise<number> {
  const conversations = Array.from({ length: 30 }, async (_, index) => {
    const provider = providers[index % providers.length];
    for (let turn = 0; turn < 4; turn += 1) await provider?.createMessage(request(`call ${index}`), never);
  });
  const all = Promise.all(conversations);
  await passTime(clock, all);
  await all;
  expect(key.answered).toHaveLength(120);
  return key.refusals;
}

test("three processes with one key are refused about as often as one that makes all their calls", async () => {
  const at = place(3);
  const shared = new SmallKey(at.clock, 4, 1_000);
  const together = await refusalsOf(shared, at.clock, processes(shared, at));

  const single = new SmallKey(at.clock, 4, 1_000);
  const one = adaptiveConcurrency(single, { clock: at.clock, random: seededRandom(1) }, soleKeyHolder(ENDPOINT));
  expect(together).toBeLessThan(1.5 * (await refusalsOf(single, at.clock, [one])));
});

test.each([1, 2])("no call of three processes fails on a key that allows %i concurrent ones", async (takes) => {
  const at = place(3);
  const key = new SmallKey(at.clock, takes, 1_000);
  await refusalsOf(key, at.clock, processes(key, at));
  expect(key.most).toBe(takes);
});

test("a wait requested from one process is observed by all", async () => {
  const at = place(2);
  const key = new SmallKey(at.clock, 1, 20_000);
  const [one, other] = processes(key, at);
  const calls = ["call 0", "call 1"].map(async (name) => one?.createMessage(request(name), never));
  await at.clock.advance(100);
  const theirs = Promise.resolve(other?.createMessage(request("theirs"), never));
  await at.clock.advance(19_000);
  expect(key).toMatchObject({ going: 0, refusals: 1, answered: ["call 0"] });
  await passTime(at.clock, Promise.all([...calls, theirs]));
  expect(key.answered.toSorted()).toEqual(["call 0", "call 1", "theirs"]);
});

test("a key that refuses everything fails to the caller after five growing waits, and then at once", async () => {
  const at = place(2);
  const key = new SmallKey(at.clock, 0, 1_000);
  const [one] = processes(key, at);
  const begun = at.clock.now();
  const first = one?.createMessage(request("m"), never);
  first?.catch(() => undefined); // the rejection is checked below
  await passTime(at.clock, Promise.resolve(first));
  await expect(first).rejects.toMatchObject({ code: "rate_limited" });
  expect(key.refusals).toBe(6);
  expect(at.clock.now() - begun).toBeGreaterThan(5_000);
  await at.clock.advance(1_000);
  await expect(one?.createMessage(request("m"), never)).rejects.toMatchObject({ code: "rate_limited" });
  expect(key.refusals).toBe(7);
});

test("messages between processes name a key by its digest and affect only that key", async () => {
  const at = place(2);
  const [one] = processes(new SmallKey(at.clock, 1, 60_000), at);
  const calls = ["call 0", "call 1"].map(async (name) => one?.createMessage(request(name), never));
  await at.clock.advance(2_000);
  await calls[0];
  expect(at.words.told).toEqual([expect.stringMatching(/^\{"key":"[0-9a-f]{16}","word":\{"type":"refused"/u)]);
  const [, other] = processes(new SmallKey(at.clock, 1), at, { ...ENDPOINT, apiKey: "sk-another" });
  const theirs = other?.createMessage(request("m"), never);
  await at.clock.advance(2_000);
  await expect(theirs).resolves.toEqual(RESPONSE);
  await passTime(at.clock, Promise.all(calls));
});
