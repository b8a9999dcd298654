import { expect, test } from "vitest";
import type { Receive } from "../../../src/core/platform/inbound.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { openHarbour } from "../../support/discord/harness.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { MemoryCluster } from "../../support/memory-cluster.ts";

/** Two processes on a server called Harbour; the first one holds the gateway. */
async function twoProcesses(clock: Clock = systemRuntime().clock) {
  const harbour = await openHarbour();
  const cluster = new MemoryCluster();
  const taken: { by: string; text: string }[] = [];
  const start = async (by: string, time = systemRuntime().clock) => {
    const platform = harbour.adapter({ cluster: cluster.replica(), clock: time });
    const receive: Receive = async (event) => {
      if (event.kind === "message") taken.push({ by, text: event.text });
      return { type: "accepted" };
    };
    await platform.start(receive, new AbortController().signal);
    return platform;
  };
  const first = await start("first", clock);
  const second = await start("second");
  const say = (text: string) =>
    harbour.server.people.say({ channel: harbour.general, user: harbour.ana }, `${harbour.botMention} ${text}`);
  return { ...harbour, first, second, taken, say };
}

test("a process without a gateway connection knows the servers and posts", async () => {
  await using world = await twoProcesses();
  const { server, guild, general, ana, first, second } = world;
  expect(server.gateway.openSockets).toBe(1);
  expect(second.health()).toEqual({
    connected: true,
    detail: "posts only: another process receives",
    receivingSince: null,
  });
  expect(second.workspaces?.()).toEqual(first.workspaces?.());
  const channel = { platform: "discord", workspaceId: guild.id, channelId: general.id, threadId: null } as const;
  const asked = await second.membership?.(channel, `discord:${ana.id}`);
  expect(asked).toEqual({ isPrivate: false, isMember: true, canPost: true });
  expect(asked).toEqual(await first.membership?.(channel, `discord:${ana.id}`));
  const message = { lane: "answer", markdown: "Hello.", tone: "plain", buttons: [], files: [] } as const;
  await second.post(channel, message, "run_1:answer:0");
  expect(general.messages.at(-1)?.content).toContain("Hello.");
});

test("events between two gateway sessions reach the second process, and events handled by the first are not repeated", async () => {
  await using world = await twoProcesses();
  const { server, first, second, taken, say } = world;
  say("one");
  await expect.poll(() => taken).toEqual([{ by: "first", text: "one" }]);
  const since = first.health().receivingSince;
  await first.stop();
  say("two");
  await expect
    .poll(() => taken)
    .toEqual([
      { by: "first", text: "one" },
      { by: "second", text: "two" },
    ]);
  expect(server.gateway.counts).toMatchObject({ identify: 1, resume: 1 });
  expect(second.health().receivingSince).toBe(since);
});

test("if Discord no longer knows the session, a new one starts, and earlier messages may have been missed", async () => {
  await using world = await twoProcesses();
  const { server, first, second, taken, say } = world;
  const since = first.health().receivingSince ?? 0;
  server.gateway.forgetSessions();
  await first.stop();
  await server.gateway.until(() => server.gateway.counts.identify > 1);
  await expect.poll(() => second.health().detail).toBe("connected");
  expect(second.health().receivingSince).toBeGreaterThan(since);
  say("two");
  await expect.poll(() => taken).toEqual([{ by: "second", text: "two" }]);
});

test("a process that the gateway does not accept yields to another one", async () => {
  const clock = new ManualClock();
  await using world = await twoProcesses(clock);
  const { server, first, second, taken, say } = world;
  server.gateway.mute = true;
  server.gateway.drop();
  const isTried = async () => {
    await clock.advance(1_000);
    return second.health().connected;
  };
  await expect.poll(isTried).toBe(false);
  expect(first.health()).toMatchObject({ connected: true, receivingSince: null });
  server.gateway.mute = false;
  server.gateway.drop();
  await expect.poll(() => second.health().detail).toBe("connected");
  say("two");
  await expect.poll(() => taken).toEqual([{ by: "second", text: "two" }]);
});
