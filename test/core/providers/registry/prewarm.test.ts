import { createServer } from "node:http";
import { expect, test } from "vitest";
import { prewarmCall } from "../../../../src/core/providers/registry/prewarm.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { listening } from "../../../support/model/model-server.ts";
import { silentLog } from "../../../support/silent-log.ts";

const tools = [{ name: "read", description: "Reads a file.", inputSchema: { type: "object", properties: {} } }];
const common = { tools, runtime: systemRuntime(), log: silentLog };
const { signal } = new AbortController();

test.each(["anthropic", "responses", "chat"] as const)(
  "a pre-warmed call of the wire %s sends nothing",
  async (wire) => {
    const server = createServer((_request, response) => response.end());
    let connections = 0;
    server.on("connection", () => {
      connections += 1;
    });
    const listener = await listening(server);
    try {
      const settings = { ours: { wire, baseUrl: listener.origin, apiKey: "test-key" } };
      await prewarmCall({ ...common, ref: "ours/model", settings }, signal);
      await fetch(listener.origin);
      expect(connections, "only the connection of this test").toBe(1);
    } finally {
      await listener.close();
    }
  },
);

test("a reason why a model cannot be called is reported", async () => {
  await expect(prewarmCall({ ...common, ref: "anthropic/claude", settings: {} }, signal)).rejects.toMatchObject({
    code: "auth",
  });
});
