import { createHmac } from "node:crypto";
import { once } from "node:events";
import { request as httpRequest } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { SlackHttp } from "../../../../src/adapters/slack/connection/http-listener.ts";
import { HTTP_LIMITS } from "../../../../src/adapters/slack/limits.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { begin } from "../../../contracts/platform-steps.ts";
import { openSlackHarness, type SlackHarness } from "../../../support/slack/slack-harness.ts";

/** Maximum bytes to send, far more than the listener accepts. */
const SENT_AT_MOST = 256 * 1024 * 1024;

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

test("Slack's url_verification challenge is answered", async () => {
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

test("an event that could not be stored is answered with 500, so that Slack retries it", async () => {
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

test("a port in use is reported in one line", async () => {
  await using harness = await openSlackHarness("http");
  await begin(harness);
  const { port } = new URL(addressOf(harness));
  const { signingSecret } = harness.server;
  const second = harness.adapter({ mode: { type: "http", signingSecret, host: "127.0.0.1", port: Number(port) } });
  const start = second.start(() => Promise.resolve({ type: "accepted" }), new AbortController().signal);
  await expect(start).rejects.toMatchObject({
    problems: [`Port ${port} is in use. Set SLACK_HTTP_PORT to a free one.`],
  });
});

test("a body whose Content-Length is too large is refused before it arrives", async () => {
  await using harness = await openSlackHarness("http");
  await begin(harness);
  const headers = { "content-length": String(HTTP_LIMITS.bodyBytes + 1) };
  const request = httpRequest(addressOf(harness), { method: "POST", headers });
  const answered = once(request, "response");
  request.flushHeaders();
  const [{ statusCode, headers: told }] = await answered;
  expect(statusCode).toBe(413);
  expect(told.connection).toBe("close");
  request.on("error", () => {}); // The body was never sent completely.
  request.destroy();
});

test("a body that exceeds the limit is cut off while it arrives", async () => {
  await using harness = await openSlackHarness("http");
  await begin(harness);
  const request = httpRequest(addressOf(harness), { method: "POST" });
  const cut = new Promise<void>((resolve) => {
    request.once("close", resolve);
  });
  request.on("error", () => {}); // The rest of the body meets a closed connection.
  request.on("response", (response) => response.resume());
  const piece = Buffer.alloc(64 * 1024, "x");
  let sent = 0;
  const more = () => {
    while (!request.destroyed && sent < SENT_AT_MOST) {
      sent += piece.length;
      if (!request.write(piece)) return;
    }
  };
  request.on("drain", more);
  more();
  await cut;
  expect(sent).toBeLessThan(SENT_AT_MOST);
});

test.each([
  { what: "the headers", head: "POST /slack/events HTTP/1.1\r\nhost: x\r\n" },
  { what: "the body", head: "POST /slack/events HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{" },
])("a connection that times out waiting for $what is closed", async ({ head }) => {
  await using harness = await openSlackHarness("http");
  const limits = { ...HTTP_LIMITS, headersMs: 60, requestMs: 120 };
  const { signingSecret } = harness.server;
  const listener = new SlackHttp({
    bolt: await import("@slack/bolt"),
    signingSecret,
    host: "127.0.0.1",
    port: 0,
    clock: systemRuntime().clock,
    log: harness.log,
    limits,
  });
  await listener.open(() => Promise.resolve(undefined), new AbortController().signal);
  const { hostname, port } = new URL(listener.health().detail.replace("listening on ", ""));
  const socket = connect(Number(port), hostname);
  const closed = once(socket, "close");
  socket.on("error", () => {});
  socket.write(head);
  socket.resume();
  await closed;
  await listener.close();
});

test("the number of connections is limited", async () => {
  await using harness = await openSlackHarness("http");
  const limits = { ...HTTP_LIMITS, connections: 2 };
  const { signingSecret } = harness.server;
  const listener = new SlackHttp({
    bolt: await import("@slack/bolt"),
    signingSecret,
    host: "127.0.0.1",
    port: 0,
    clock: systemRuntime().clock,
    log: harness.log,
    limits,
  });
  await listener.open(() => Promise.resolve(undefined), new AbortController().signal);
  const { hostname, port } = new URL(listener.health().detail.replace("listening on ", ""));
  const sockets = [1, 2, 3].map(() =>
    connect(Number(port), hostname)
      .on("error", () => {})
      .resume(),
  );
  await Promise.race(sockets.map((socket) => once(socket, "close")));
  for (const socket of sockets) socket.destroy();
  await listener.close();
});

test("an incomplete request does not delay stop", async () => {
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
