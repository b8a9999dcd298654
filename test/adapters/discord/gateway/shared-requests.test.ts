import { expect, test } from "vitest";
import { sharedRequests } from "../../../../src/adapters/discord/gateway/shared-requests.ts";
import { MemoryRates } from "../../../support/database/memory-rates.ts";
import { ManualClock } from "../../../support/manual-clock.ts";

const API = "https://discord.com/api/v10";

/** Four processes of one bot that share their rate limits, and the requests that they sent, with times. */
function processes() {
  const clock = new ManualClock(0);
  const rates = new MemoryRates(clock, [1, 7, 3]);
  const sent: { what: string; at: number }[] = [];
  const send = async (url: string, { method }: { method?: string }) => {
    sent.push({ what: `${method} ${url.slice(API.length)}`, at: clock.now() });
    return new Response();
  };
  const senders = [1, 2, 3, 4].map(() => sharedRequests(send, rates, clock));
  const request = (n: number, method: string, path: string) => {
    const sender = senders[n % senders.length] ?? expect.fail();
    return sender(`${API}${path}`, { method });
  };
  return { clock, sent, request };
}

/** Maximum number of requests in any interval of this length. */
function mostIn(times: readonly number[], ms: number): number {
  return Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + ms).length));
}

test.each([
  { method: "POST", path: "/channels/1/messages" },
  { method: "PATCH", path: "/channels/1/messages/2" },
])("$method $path is sent at most five times in five seconds by all processes together", async ({ method, path }) => {
  const { clock, sent, request } = processes();
  const all = Promise.all(Array.from({ length: 20 }, (_, n) => request(n, method, path)));
  const elsewhere = request(1, method, path.replace("1", "9"));
  await clock.advance(100);
  await elsewhere;
  await clock.runAll();
  await all;
  const times = sent.filter(({ what }) => what === `${method} ${path}`).map(({ at }) => at);
  expect(times).toHaveLength(20);
  expect(mostIn(times, 5_000)).toBeLessThanOrEqual(5);
  expect(mostIn(times, 60_000)).toBeGreaterThanOrEqual(19);
});

test("at most fifty requests are sent per second, and interaction responses have priority", async () => {
  const { clock, sent, request } = processes();
  const all = Array.from({ length: 200 }, (_, n) => request(n, "GET", `/channels/${n}/messages`));
  await clock.advance(1_000);
  const askedAt = clock.now();
  const answer = request(0, "POST", "/interactions/1/token/callback");
  await clock.advance(50);
  await answer;
  await clock.runAll();
  await Promise.all(all);
  expect(sent.find(({ what }) => what.startsWith("POST"))?.at).toBeLessThan(askedAt + 30);
  const times = sent.map(({ at }) => at);
  expect(mostIn(times, 1_000)).toBeLessThanOrEqual(50);
  expect(mostIn(times, 1_000)).toBeGreaterThan(40);
});
