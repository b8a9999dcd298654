import { parseJSONRPCMessage } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { tidiedMessages } from "../../../src/features/mcp/transport/tidy-message.ts";

/** What servers of several languages' libraries send, and what the protocol has in its place. */

const answer = (rest: object) => ({ jsonrpc: "2.0", id: 1, ...rest });
const about = { protocolVersion: "2025-06-18" };

const cases: { what: string; sent: unknown; meant: readonly unknown[] }[] = [
  {
    what: "a correct message",
    sent: answer({ result: { a: [null] } }),
    meant: [answer({ result: { a: [null] } })],
  },
  {
    what: "an error that is null, an extra field, and nulls for absent values",
    sent: answer({ result: { tools: null, _meta: null, nextCursor: null }, error: null, took: 3 }),
    meant: [answer({ result: {} })],
  },
  {
    what: "a result that is null next to an error",
    sent: answer({ result: null, error: { code: -32_000, message: "no disk", data: null } }),
    meant: [answer({ error: { code: -32_000, message: "no disk", data: null } })],
  },
  {
    what: "an error in a text",
    sent: answer({ error: "no disk" }),
    meant: [answer({ error: { code: -32_000, message: "no disk" } })],
  },
  {
    what: "an error whose code is a word and that has no message",
    sent: answer({ error: { code: "E_DISK" } }),
    meant: [answer({ error: { code: -32_000, message: "it gives no reason" } })],
  },
  { what: "no result at all", sent: answer({ result: null }), meant: [answer({ result: {} })] },
  {
    what: "a handshake full of nulls",
    sent: answer({
      result: {
        ...about,
        capabilities: { tools: { listChanged: null }, prompts: null },
        serverInfo: { name: "s", title: null },
        instructions: null,
      },
    }),
    meant: [answer({ result: { ...about, capabilities: { tools: {} }, serverInfo: { name: "s", version: "" } } })],
  },
  {
    what: "a handshake with booleans instead of objects",
    sent: answer({ result: { ...about, capabilities: { tools: true, prompts: false, experimental: { x: true } } } }),
    meant: [answer({ result: { ...about, capabilities: { tools: {} }, serverInfo: { name: "", version: "" } } })],
  },
  {
    what: "a progress report with nulls",
    sent: { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 2, total: null } },
    meant: [{ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 2 } }],
  },
  {
    what: "a notification whose parameters are null",
    sent: { jsonrpc: "2.0", method: "notifications/tools/list_changed", params: null },
    meant: [{ jsonrpc: "2.0", method: "notifications/tools/list_changed" }],
  },
  { what: "a list of messages", sent: [answer({ result: {}, error: null })], meant: [answer({ result: {} })] },
];

test.each(cases)("$what is understood", ({ sent, meant }) => {
  const messages = tidiedMessages(JSON.stringify(sent));
  expect(messages).toEqual(meant);
  for (const message of messages ?? []) expect(() => parseJSONRPCMessage(message)).not.toThrow();
});

test.each(["no json", "7", "[1]", "null"])("%s is not a message", (text) => {
  expect(tidiedMessages(text)).toBeNull();
});

test("values that are not protocol messages stay unchanged", () => {
  const line = { level: 30, id: 1, result: "ok" };
  expect(tidiedMessages(JSON.stringify(line))).toEqual([line]);
});
