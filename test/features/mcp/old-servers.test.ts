import { afterAll, beforeAll, expect, test } from "vitest";
import { begin, connect, textIn } from "./connected.ts";
import { type HttpServer, startEverything } from "./everything-http.ts";

/** Servers over server-sent events, the transport of the revision 2024-11-05, in whichever words their entry has. */

let old: HttpServer;
let newer: HttpServer;

beforeAll(async () => {
  [old, newer] = await Promise.all([startEverything(undefined, "sse"), startEverything()]);
});

afterAll(() => Promise.all([old.kill(), newer.kill()]));

test.each([{ type: "sse" }, { type: "http" }, {}])(
  "an old server whose entry says $type is connected",
  async (said) => {
    const { mcp, call } = await connect({ old: { url: old.url.replace(/mcp$/, "sse"), ...said } });
    expect(mcp.problems()).toEqual([]);
    expect(textIn(await call("mcp__old__echo", { message: "hello" }))).toBe("Echo: hello");
  },
);

test("a newer server whose entry still says sse is connected", async () => {
  const { url } = newer;
  const { mcp, call } = await connect({ moved: { url, type: "sse" } });
  expect(mcp.problems()).toEqual([]);
  expect(textIn(await call("mcp__moved__echo", { message: "hello" }))).toBe("Echo: hello");
});

test("an address without a server is reported in one line, with the next attempt", async () => {
  const { port } = newer;
  const { mcp } = begin({ lost: { url: `http://127.0.0.1:${port}/nothing` } });
  await mcp.settled();
  expect(mcp.problems()).toEqual([
    expect.stringMatching(
      /^lost is not connected: it answered with HTTP 404\. (Next try (now|in \d+ s)|I'm trying again now)\.$/,
    ),
  ]);
});
