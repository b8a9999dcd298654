import { expect, test } from "vitest";
import { SOCKETS } from "../../../../src/adapters/slack/limits.ts";
import { whenAborted } from "../../../../src/core/hold-roles.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { begin } from "../../../contracts/platform-steps.ts";
import { MemoryCluster } from "../../../support/memory-cluster.ts";
import { openSlackHarness } from "../../../support/slack/slack-harness.ts";

test("when Slack recycles the connection, a new one opens at once and no event is missed", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const again = harness.server.deliveries.nextConnection();
  const cutAt = Date.now();
  harness.server.deliveries.cut("disconnect");
  await harness.mention("meanwhile");
  await again;
  // Without the adapter's own reconnect, the SDK would wait five seconds.
  expect(Date.now() - cutAt).toBeLessThan(5_000);
  expect((await inbox.nextMessage()).text).toBe("meanwhile");
  expect(harness.platform.health()).toMatchObject({ connected: true, detail: "connected by Socket Mode" });
});

test.each([
  { lossMs: 5_000, isGap: false },
  { lossMs: 20_000, isGap: true },
])("a loss of $lossMs ms leaves a gap in what was received: $isGap", async ({ lossMs, isGap }) => {
  await using harness = await openSlackHarness();
  const { clock } = systemRuntime();
  let aheadMs = 0;
  const platform = harness.adapter({ clock: { ...clock, now: () => clock.now() + aheadMs } });
  await platform.start(() => Promise.resolve({ type: "accepted" }), new AbortController().signal);
  const { receivingSince: before = null } = platform.health();
  expect(before).not.toBeNull();
  const held = Promise.withResolvers<void>();
  harness.server.faults.add("apps.connections.open", { kind: "slow", until: held.promise });
  const asked = harness.server.calls.length;
  const again = harness.server.deliveries.nextConnection();
  harness.server.deliveries.cut("break");
  await expect.poll(() => harness.server.calls.length).toBeGreaterThan(asked);
  expect(platform.health().receivingSince ?? null).toBeNull();
  aheadMs = lossMs;
  held.resolve();
  await again;
  await expect.poll(() => platform.health().connected).toBe(true);
  expect(platform.health().receivingSince !== before).toBe(isGap);
});

test("a dead socket is detected and replaced", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const again = harness.server.deliveries.nextConnection();
  harness.server.deliveries.freeze();
  await again;
  await harness.mention("is anybody there?");
  expect((await inbox.nextMessage()).text).toBe("is anybody there?");
});

test("while Slack refuses connections, the adapter reports it and retries", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  for (const error of ["internal_error", "invalid_auth"]) {
    harness.server.faults.add("apps.connections.open", { kind: "error", error });
  }
  const again = harness.server.deliveries.nextConnection();
  harness.server.deliveries.cut("break");
  await expect.poll(() => harness.platform.health().detail).toMatch(/cannot sign in at \S+ \(internal_error\)|lost/u);
  expect(harness.platform.health().connected).toBe(false);
  await again;
  await harness.mention("back");
  expect((await inbox.nextMessage()).text).toBe("back");
  expect(harness.log.warnings.map(({ event }) => event)).toContain("slack_connect_failed");
});

test("stopping during a reconnect ends the attempts", async () => {
  await using harness = await openSlackHarness();
  await begin(harness);
  const held = Promise.withResolvers<void>();
  harness.server.faults.add("apps.connections.open", { kind: "slow", until: held.promise });
  const asked = harness.server.calls.length;
  harness.server.deliveries.cut("break");
  await expect.poll(() => harness.server.calls.length).toBeGreaterThan(asked);
  await harness.platform.stop();
  held.resolve();
  await expect.poll(() => harness.openConnections()).toBe(0);
  expect(harness.platform.health()).toEqual({ connected: false, detail: "stopped" });
});

test("an event may be acknowledged late, and acknowledging on a closed socket does not crash", async () => {
  await using harness = await openSlackHarness();
  const inbox = await begin(harness);
  const release = inbox.hold();
  const said = await harness.mention("slow database");
  await inbox.nextMessage();
  const again = harness.server.deliveries.nextConnection();
  harness.server.deliveries.cut("break");
  release();
  await again;
  await said.answered;
  expect(inbox.fresh).toHaveLength(1);
});

test("a process beyond Slack's socket limit posts, and opens a socket when one is free", async () => {
  await using harness = await openSlackHarness();
  const cluster = new MemoryCluster();
  const giveUps = Array.from({ length: SOCKETS }, (_none, index) =>
    cluster.replica().hold(`slack:socket:${index + 1}`, whenAborted),
  );
  const platform = harness.adapter({ cluster: cluster.replica() });
  const texts: string[] = [];
  await platform.start(async (event) => {
    if (event.kind === "message") texts.push(event.text);
    return { type: "accepted" };
  }, new AbortController().signal);
  expect(harness.openConnections()).toBe(0);
  expect(platform.health()).toMatchObject({ connected: true, receivingSince: null });
  expect(platform.health().detail).toContain("posts only");
  const thread = { platform: "slack", workspaceId: "T1", channelId: "C0001", threadId: null } as const;
  const message = { lane: "answer", markdown: "Hello.", tone: "plain", buttons: [], files: [] } as const;
  expect(await platform.post(thread, message, "run_1:answer:0")).toMatchObject({ platform: "slack" });
  await giveUps[3]?.();
  await expect.poll(() => harness.openConnections()).toBe(1);
  await expect.poll(() => platform.health().detail).toBe("connected by Socket Mode");
  await harness.mention("hello");
  await expect.poll(() => texts).toContain("hello");
});
