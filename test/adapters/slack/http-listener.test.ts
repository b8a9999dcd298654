import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { expect, test } from "vitest";
import { begin } from "../../contracts/platform-steps.ts";
import { openSlackHarness, type SlackHarness } from "../../support/slack/slack-harness.ts";

function addressOf(harness: SlackHarness): string {
  return harness.platform.health().detail.replace("listening on ", "");
}

function signed(harness: SlackHarness, body: string, atMs = Date.now()): RequestInit {
  const timestamp = String(Math.floor(atMs / 1_000));
  const hash = createHmac("sha256", harness.server.signingSecret).update(`v0:${timestamp}:${body}`).digest("hex");
  return {
    method: "POST",
    body,
    headers: {
      "content-type": "application/json",
      "x-slack-request-timestamp": timestamp,
      "x-slack-signature": `v0=${hash}`,
    },
  };
}

const EVENT = JSON.stringify({ type: "event_callback", event: { type: "future_event" } });

test("Slack's question who listens there is answered", async () => {
  await using harness = await openSlackHarness("http");
  await begin(harness);
  const body = JSON.stringify({ type: "url_verification", challenge: "3eZbrw1aB" });
  const response = await fetch(addressOf(harness), signed(harness, body));
  expect(await response.json()).toEqual({ challenge: "3eZbrw1aB" });
});

const refused: { name: string; request: (harness: SlackHarness) => RequestInit }[] = [
  { name: "unsigned", request: () => ({ method: "POST", body: EVENT }) },
  { name: "signed for another body", request: (harness) => ({ ...signed(harness, EVENT), body: `${EVENT} ` }) },
  { name: "signed ten minutes ago", request: (harness) => signed(harness, EVENT, Date.now() - 600_000) },
  { name: "signed, but no JSON", request: (harness) => signed(harness, "{oops") },
];

test.each(refused)("a request that is $name is refused", async ({ request }) => {
  await using harness = await openSlackHarness("http");
  const inbox = await begin(harness);
  expect((await fetch(addressOf(harness), request(harness))).status).toBe(401);
  expect(inbox.events).toEqual([]);
});

test.each([
  { path: "/", method: "GET" },
  { path: "/slack/events", method: "GET" },
  { path: "/slack/install", method: "GET" },
  { path: "/healthz", method: "GET" },
  { path: "/slack/events/more", method: "POST" },
])("nothing is served at $method $path", async ({ path, method }) => {
  await using harness = await openSlackHarness("http");
  await begin(harness);
  const response = await fetch(new URL(path, addressOf(harness)), { method });
  expect(response.status).toBe(404);
  expect(await response.text()).toBe("");
});

test("what could not be received is answered with 500, so that Slack sends it again", async () => {
  await using harness = await openSlackHarness("http");
  const inbox = await begin(harness);
  const mend = inbox.refuse();
  const said = await harness.mention("hello");
  await inbox.until(() => inbox.events.length >= 2);
  mend();
  await said.answered;
  expect(inbox.fresh).toHaveLength(1);
  expect(harness.log.warnings.map(({ event }) => event)).toContain("slack_event_not_answered");
});

test("a port that is taken is told in one line", async () => {
  await using harness = await openSlackHarness("http");
  await begin(harness);
  const { port } = new URL(addressOf(harness));
  const second = harness.adapter({ httpPort: Number(port) });
  const start = second.start(() => Promise.resolve({ type: "accepted" }), new AbortController().signal);
  await expect(start).rejects.toMatchObject({
    problems: [`Port ${port} is in use. Set SLACK_HTTP_PORT to a free one.`],
  });
});

test("a request that never arrives whole does not hold up the stop", async () => {
  await using harness = await openSlackHarness("http");
  await begin(harness);
  const request = httpRequest(addressOf(harness), { method: "POST", headers: { "content-length": "100" } });
  const cut = once(request, "error");
  request.write("{");
  await once(request, "socket");
  await fetch(addressOf(harness), signed(harness, EVENT));
  await harness.platform.stop();
  expect(await cut).toMatchObject([{ code: "ECONNRESET" }]);
});
