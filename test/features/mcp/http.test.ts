import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { ManualClock } from "../../support/manual-clock.ts";
import { connect, textIn } from "./connected.ts";
import {
  type Answer,
  alive,
  greeting,
  greetingServer,
  httpServer,
  modernServer,
  type PlainServer,
  sendError,
  sendResult,
} from "./http-server.ts";

const done: Answer = (response, id) => sendResult(response, id, { content: [{ type: "text", text: "done" }] });

test("the configured headers go with every request", async () => {
  const { url, seen } = await httpServer(done);
  const { call } = await connect({ web: { url, headers: { Authorization: "Bearer t0ken" } } });
  expect(textIn(await call("mcp__web__go"))).toBe("done");
  expect(seen.map(({ method }) => method)).toEqual([
    "server/discover",
    "initialize",
    "notifications/initialized",
    "tools/list",
    "tools/call",
  ]);
  for (const { headers } of seen) expect(headers.authorization).toBe("Bearer t0ken");
});

test("a server of the newest revision is called in that revision: it can ask people, and its headers carry arguments", async () => {
  const confirm = {
    method: "elicitation/create",
    params: { mode: "form", message: "Sure?", requestedSchema: { type: "object", properties: {} } },
  };
  const { url, seen }: PlainServer = await modernServer(({ params }) =>
    params?.["inputResponses"] === undefined
      ? { resultType: "input_required", inputRequests: { confirm }, requestState: "1" }
      : { content: [{ type: "text", text: JSON.stringify(params["inputResponses"]) }] },
  );
  const { call } = await connect({ web: { url } }, { ask: () => Promise.resolve({ choice: 0, text: "" }) });
  expect(textIn(await call("mcp__web__go", { region: "eu" }))).toBe('{"confirm":{"action":"accept","content":{}}}');
  const calls = seen.filter(({ method }) => method === "tools/call");
  expect(calls.map(({ headers }) => headers["mcp-param-region"])).toEqual(["eu", "eu"]);
  expect(seen.map(({ method }) => method)).not.toContain("initialize");
});

const CHUNK = "x".repeat(1_000_000);

/** Sends part after part until the client closes; fails the test if that takes too long. */
function sendForEver(response: ServerResponse, type: string, part: string): void {
  response.writeHead(200, { "content-type": type });
  onTestFinished(() => expect.poll(() => response.destroyed, { message: "it was cut off" }).toBe(true));
  const more = (): void => {
    if (response.writableEnded || response.destroyed) return;
    response.write(part, () => setImmediate(more));
  };
  more();
}

const AUTHORIZATION = "Bearer token-17-of-the-tests";

const answers: {
  what: string;
  onCall: Answer;
  text: RegExp;
  timeoutMs?: number;
}[] = [
  {
    what: "an endless body",
    onCall: (response) => sendForEver(response, "application/json", CHUNK),
    text: /failed: the connection to it failed/,
  },
  {
    what: "an endless event",
    onCall: (response) => sendForEver(response, "text/event-stream", `data: ${CHUNK}\n`),
    text: /failed: its response was cut off/,
  },
  {
    what: "a flood of questions whose answers are not taken",
    onCall: (response) => {
      const asked = Array.from({ length: 200 }, (_, id) => ({ jsonrpc: "2.0", id: `q${id}`, method: "ping" }));
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(asked.map((one) => `data: ${JSON.stringify(one)}\n\n`).join(""));
    },
    text: /failed: it ended before it responded/,
  },
  {
    what: "a stream that ends before its answer",
    onCall: (response) => response.writeHead(200, { "content-type": "text/event-stream" }).end(": working\n\n"),
    text: /failed: its response was cut off\. Anything it had already done/,
  },
  {
    what: "an answer that never comes",
    onCall: () => {},
    text: /failed: it did not respond within 0\.2 s/,
    timeoutMs: 200,
  },
  {
    what: "a refusal of our credentials",
    onCall: (response) => response.writeHead(401).end(),
    text: /refuses our credentials \(HTTP 401\); an operator must give it a token in its `headers`/,
  },
  {
    what: "a token with too few rights",
    onCall: (response) =>
      response.writeHead(403, { "www-authenticate": 'Bearer error="insufficient_scope", scope="write"' }).end(),
    text: /refuses our credentials \(HTTP 403\)/,
  },
  {
    what: "a page to sign in",
    onCall: (response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"),
    text: /its response is not an MCP message; an operator must check its address/,
  },
  {
    what: "nothing at all",
    onCall: (response) => response.writeHead(200, { "content-type": "application/json" }).end(),
    text: /failed: its response does not follow the protocol/,
  },
  {
    what: "a failure of its own",
    onCall: (response) => response.writeHead(503).end(),
    text: /failed: it answered with HTTP 503/,
  },
  {
    what: "a failure of its own in words",
    onCall: (response, id) =>
      response
        .writeHead(500)
        .end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_603, message: "no disk." } })),
    text: /failed: it answered with HTTP 500: no disk\. Anything it had already done/,
  },
  {
    what: "a refusal in words",
    onCall: (response) =>
      response.writeHead(401).end('{"error":"invalid_token","error_description":"The token has expired"}'),
    text: /refuses our credentials \(HTTP 401: The token has expired\); an operator/,
  },
  {
    what: "a refusal that repeats the token",
    onCall: (response) => response.writeHead(401).end(`{"message":"not known: ${AUTHORIZATION}"}`),
    text: /refuses our credentials \(HTTP 401: not known: \[secret\]\); an operator/,
  },
  {
    what: "a page that says what is wrong",
    onCall: (response) => response.writeHead(502).end("<html><h1>Bad gateway"),
    text: /failed: it answered with HTTP 502\. Anything/,
  },
  {
    what: "something that is not a message",
    onCall: (response) => response.writeHead(200, { "content-type": "application/json" }).end("{}"),
    text: /^The MCP server web failed: /,
  },
  {
    what: "a connection that breaks",
    onCall: (response) => response.destroy(),
    text: /failed: the connection to it failed/,
  },
];

test.each(answers)("$what is a result the model can use", async ({ onCall, text, timeoutMs = 20_000 }) => {
  const { url } = await httpServer(onCall);
  const { call } = await connect({ web: { url, timeoutMs, headers: { authorization: AUTHORIZATION } } });
  const result = await call("mcp__web__go");
  expect(result.isError).toBe(true);
  expect(textIn(result)).toMatch(text);
});

/** Answers that the SDK would reject. */
const untidy: { what: string; type: string; body: (message: string) => string }[] = [
  { what: "has an error that is null", type: "application/json", body: (message) => message },
  {
    what: "has an error that is null in a stream",
    type: "text/event-stream",
    body: (message) => `event: message\r\ndata: ${message}\r\n\r\n`,
  },
  { what: "lists messages in an event", type: "text/event-stream", body: (message) => `data: [${message}]\n\n` },
  { what: "ends before its event does", type: "text/event-stream", body: (message) => `:\n\ndata:${message}` },
];

test.each(untidy)("an answer that $what is understood", async ({ type, body }) => {
  const result = { content: [{ type: "text", text: "done" }], _meta: null };
  const { url } = await httpServer((response, id) => {
    response.writeHead(200, { "content-type": type });
    response.end(body(JSON.stringify({ jsonrpc: "2.0", id, result, error: null })));
  });
  const { call } = await connect({ web: { url, timeoutMs: 20_000 } });
  expect(textIn(await call("mcp__web__go"))).toBe("done");
});

/** Servers that accept one version of the protocol and refuse others in non-standard ways. */
const versions: { what: string; only: string; refuse: Answer }[] = [
  {
    what: "by a status that names the others",
    only: "2025-06-18",
    refuse: (response) =>
      response.writeHead(400).end("Bad Request: Unsupported protocol version (supported: 2025-06-18, 2024-11-05)"),
  },
  {
    what: "by an error whose data name another",
    only: "2024-11-05",
    refuse: (response, id) =>
      sendError(response, id, { message: "Unsupported protocol version", data: { supported: ["2024-11-05"] } }),
  },
  {
    what: "by an error that names none",
    only: "2025-03-26",
    refuse: (response, id) => sendError(response, id, { message: "protocolVersion not supported" }),
  },
  {
    what: "by an error of its own",
    only: "1.0",
    refuse: (response, id) => sendResult(response, id, greeting("1.0")),
  },
];

test.each(versions)(
  "a server that refuses our version of the protocol $what is connected",
  async ({ only, refuse }) => {
    const { url } = await greetingServer((response, id, version) =>
      version === only ? sendResult(response, id, greeting(only)) : refuse(response, id),
    );
    const { mcp, call } = await connect({ web: { url } });
    expect(mcp.problems()).toEqual([]);
    expect(textIn(await call("mcp__web__go"))).toBe("done");
  },
);

test("a server that supports only a future version is reported as such, in a message without links", async () => {
  const { url } = await greetingServer((response, id) => sendResult(response, id, greeting("2031 [a](b)")));
  const { mcp } = await connect({ web: { url } });
  expect(mcp.problems()[0]).toMatch(
    /^web is not connected: it speaks version 2031 \[a\]\(b\) of the protocol, which Deckhand does not /,
  );
  expect(mcp.serverStates()[0]?.line).toMatch(/ \*\*web\*\* is not connected: it speaks version 2031 \\\[a\\\]/);
});

test("a redirect to another host is not followed, because it would receive the headers", async () => {
  const other = await httpServer(done);
  const { url } = await httpServer((response) => response.writeHead(307, { location: other.url }).end());
  const { call } = await connect({ web: { url, headers: { Authorization: "Bearer t0ken" } } });
  expect(textIn(await call("mcp__web__go"))).toContain(
    `redirect (HTTP 307); an operator must set the address that it redirects to, ${other.url}`,
  );
  expect(other.seen).toEqual([]);
});

const gone = (response: ServerResponse) => response.writeHead(404).end();

test("a call that the server refused because of an unknown session is repeated exactly once", async () => {
  const { url, seen } = await httpServer(gone, gone);
  const { call } = await connect({ web: { url } });
  const result = await call("mcp__web__go");
  expect(textIn(result)).toBe("The MCP server web failed: it answered with HTTP 404.");
  expect(seen.filter(({ method }) => method === "tools/call")).toHaveLength(2);
});

test("a failed call does not affect the others", async () => {
  const first = Promise.withResolvers<Parameters<Answer>>();
  let calls = 0;
  const { url, seen } = await httpServer((response, id) => {
    calls += 1;
    if (calls === 1) first.resolve([response, id]);
    else if (calls === 2) gone(response);
    else response.destroy();
  });
  const { call } = await connect({ web: { url } });
  const slow = call("mcp__web__go");
  const [response, id] = await first.promise;
  expect(textIn(await call("mcp__web__go"))).toBe("The MCP server web failed: it answered with HTTP 404.");
  expect(textIn(await call("mcp__web__go"))).toContain("the connection to it failed");
  done(response, id);
  expect(textIn(await slow)).toBe("done");
  expect(seen.filter(({ method }) => method === "initialize")).toHaveLength(1);
});

const unwell: { what: string; onPing: Answer; connections: number }[] = [
  { what: "does not support ping stays connected", onPing: (response, id) => sendError(response, id), connections: 1 },
  { what: "does not answer a ping is reconnected", onPing: gone, connections: 2 },
];

test.each(unwell)("a server that $what", async ({ onPing, connections }) => {
  const clock = new ManualClock();
  const { url, seen } = await httpServer(done, onPing);
  const { mcp } = await connect({ web: { url } }, { clock });
  const count = (method: string) => seen.filter((request) => request.method === method).length;
  await clock.advance(60_000);
  await expect.poll(() => count("ping")).toBe(1);
  await expect.poll(() => count("tools/list")).toBe(connections);
  await expect.poll(() => mcp.describe()[0]?.state.type).toBe("connected");
  expect(count("ping")).toBe(1);
  expect(count("initialize")).toBe(connections);
});

test("a call that may have had an effect is not repeated", async () => {
  const { url, seen } = await httpServer((response) => response.destroy());
  const { call } = await connect({ web: { url } });
  expect(textIn(await call("mcp__web__go"))).toContain("Anything it had already done remains.");
  expect(seen.filter(({ method }) => method === "tools/call")).toHaveLength(1);
});

test("a call may take as long as its own limit allows, even if fetch would time out on a silent connection", async () => {
  const key = Symbol.for("undici.globalDispatcher.1");
  const held: (() => void)[] = [];
  const { url } = await httpServer((response, id) => void held.push(() => done(response, id)));
  const { call } = await connect({ web: { url } });
  const usual: NonNullable<RequestInit["dispatcher"]> = Reflect.get(globalThis, key);
  onTestFinished(() => void Reflect.set(globalThis, key, usual));
  const hasty = usual.compose(
    (dispatch) => (options, handler) => dispatch({ headersTimeout: 100, ...options }, handler),
  );
  Reflect.set(globalThis, key, hasty);
  const running = call("mcp__web__go");
  const body = JSON.stringify({ id: 1, method: "tools/call" });
  await expect(fetch(url, { method: "POST", body }), "one that is not for a call gives up").rejects.toThrow();
  for (const answer of held) answer();
  expect(textIn(await running)).toBe("done");
});

/** Servers that accept a call and never finish it; they notice closed connections. */
const hanging = [
  { how: "says nothing", begin: () => {} },
  {
    how: "has begun a stream of events",
    begin: (response: ServerResponse) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n"),
  },
];

test.each(hanging)("a cancelled call to a server that $how ends at once, with its connection", async ({ begin }) => {
  const called = Promise.withResolvers<ServerResponse>();
  const { url, seen } = await httpServer((response) => {
    begin(response);
    called.resolve(response);
  });
  const { call } = await connect({ web: { url } });
  const stop = new AbortController();
  const running = call("mcp__web__go", {}, stop.signal);
  const response = await called.promise;
  stop.abort(new Error("stopped by a person"));
  await expect(running).rejects.toThrow("stopped by a person");
  await expect.poll(() => response.destroyed).toBe(true);
  await expect.poll(() => seen.at(-1)?.method).toBe("notifications/cancelled");
});

test("a server that hangs on every request keeps no connection of an abandoned call", async () => {
  const held: ServerResponse[] = [];
  const { url } = await httpServer(
    (response) => void held.push(response),
    alive,
    (response) => void held.push(response),
  );
  const { call } = await connect({ web: { url, timeoutMs: 200 } });
  expect(textIn(await call("mcp__web__go"))).toContain("did not respond within 0.2 s");
  await expect.poll(() => held.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});

test("an idle server is pinged once a minute", async () => {
  const clock = new ManualClock();
  const { url, seen } = await httpServer(done);
  await connect({ web: { url } }, { clock });
  const pings = () => seen.filter(({ method }) => method === "ping").length;
  for (const expected of [1, 2, 3]) {
    // The next minute begins when the last answer has come.
    await expect.poll(() => clock.pending).toBe(1);
    await clock.advance(60_000);
    await expect.poll(pings).toBe(expected);
  }
});
