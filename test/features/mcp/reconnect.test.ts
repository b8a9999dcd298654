import { expect, test } from "vitest";
import { mcpRoutes } from "../../../src/features/mcp/server-states/routes.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { MemoryWords } from "../../support/memory-words.ts";
import { silentLog } from "../../support/silent-log.ts";

/** A process with one server, how often that was connected anew, and the page's button for it. */
function processOf(words: MemoryWords, index: number, clock: ManualClock) {
  const cluster = { ...onlyProcess({ clock, log: silentLog }), ...words.replica(index) };
  const seen = { reconnects: 0 };
  const reconnect = async () => {
    seen.reconnects += 1;
  };
  const servers = {
    describe: () => [],
    idle: [],
    connection: (name: string) => (name === "all" ? { reconnect } : undefined),
  };
  const host = { clock, cluster, log: silentLog, hideIn: <T>(value: T) => value, audit: async () => undefined };
  const route = mcpRoutes(servers, host).find(({ path }) => path === "/reconnect");
  const asked = {
    role: "operator",
    by: "olga",
    query: new URLSearchParams(),
    origin: "http://127.0.0.1:3000",
    viewer: { kind: "operator" },
  } as const;
  return { seen, press: async (name: string) => (await route?.handle({ ...asked, body: { name } }))?.status };
}

test("a server that an operator reconnects is reconnected in all processes, and not again right away", async () => {
  const clock = new ManualClock();
  const words = new MemoryWords(clock, 3);
  const all = [0, 1, 2].map((index) => processOf(words, index, clock));
  expect(await all[0]?.press("all")).toBe(200);
  await clock.advance(100);
  expect(all.map(({ seen }) => seen.reconnects)).toEqual([1, 1, 1]);
  expect(await all[1]?.press("all")).toBe(429);
  await clock.advance(5_000);
  expect(await all[1]?.press("all")).toBe(200);
  await clock.advance(100);
  expect(all.map(({ seen }) => seen.reconnects)).toEqual([2, 2, 2]);
  expect(await all[2]?.press("gone")).toBe(404);
});
