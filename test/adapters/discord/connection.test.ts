import { expect, test } from "vitest";
import { Inbox } from "../../contracts/inbox.ts";
import { failureOf } from "../../contracts/platform-steps.ts";
import { openHarbour } from "../../support/discord/harness.ts";
import { ManualClock } from "../../support/manual-clock.ts";

const never = new AbortController().signal;
const accept = () => Promise.resolve({ type: "accepted" as const });

test("a missing MESSAGE CONTENT intent is reported at once, with the remedy", async () => {
  await using harbour = await openHarbour({ messageContent: false });
  const adapter = harbour.adapter();
  const failure = await failureOf(adapter.start(accept, never));
  expect(failure).toMatchObject({ code: "missing_scope", detail: { scope: "MESSAGE CONTENT intent" } });
  expect(failure?.detail["mend"]).toContain("switch on “Message Content Intent”");
  expect(adapter.health()).toMatchObject({ connected: false });
  expect(adapter.health().detail).toContain("MESSAGE CONTENT");
  expect(harbour.server.gateway.counts.identify).toBe(0);
});

test("switching the intent off at run time makes the adapter unhealthy, with the reason", async () => {
  await using harbour = await openHarbour();
  const adapter = harbour.adapter();
  await adapter.start(accept, never);
  harbour.server.gateway.closeAll(4014);
  await expect.poll(() => adapter.health().detail).toContain("MESSAGE CONTENT intent is off");
  expect(adapter.health().connected).toBe(false);
  expect(harbour.log.lines).toContainEqual(expect.objectContaining({ level: "error", event: "discord.disconnected" }));
});

test("resetting the token at run time makes the adapter unhealthy, with the reason", async () => {
  await using harbour = await openHarbour();
  const adapter = harbour.adapter();
  await adapter.start(accept, never);
  harbour.server.token = "a-new-one";
  harbour.server.gateway.drop();
  await expect.poll(() => adapter.health().detail).toContain("check DISCORD_TOKEN");
});

test("an interactions endpoint URL in the application's settings is reported, with the field to clear", async () => {
  await using harbour = await openHarbour();
  harbour.server.faults.interactionsEndpoint = "https://old.example/interactions";
  const adapter = harbour.adapter();
  await adapter.start(accept, never);
  await expect.poll(() => adapter.health().detail).toContain("clear “Interactions Endpoint URL”");
  expect(adapter.health().connected).toBe(true);
});

test("stop waits for events that have already arrived, and for the requests that handling them needs", async () => {
  await using harbour = await openHarbour();
  const adapter = harbour.adapter();
  const come = Promise.withResolvers<void>();
  const isStopping = Promise.withResolvers<void>();
  const seen: unknown[] = [];
  await adapter.start(async (event) => {
    if (event.kind !== "message") return accept();
    come.resolve();
    await isStopping.promise;
    seen.push(adapter.workspaces?.().size, await adapter.member?.(event.thread, event.person.id));
    return accept();
  }, never);
  harbour.server.people.say({ channel: harbour.general, user: harbour.ana }, `${harbour.botMention} hello`);
  await come.promise;
  const stopped = adapter.stop();
  isStopping.resolve();
  await stopped;
  expect(seen).toEqual([1, expect.objectContaining({ id: `discord:${harbour.ana.id}` })]);
});

test("the adapter requests only the intents that it uses: servers, messages, direct messages and their content", async () => {
  await using harbour = await openHarbour();
  await harbour.adapter().start(accept, never);
  expect(harbour.server.gateway.intents).toEqual([1 | (1 << 9) | (1 << 10) | (1 << 12) | (1 << 13) | (1 << 15)]);
});

test("connecting is retried until Discord is available", async () => {
  await using harbour = await openHarbour();
  const clock = new ManualClock();
  const adapter = harbour.adapter({ clock });
  for (let request = 0; request < 4; request += 1) harbour.server.faults.failNext("other", 503);
  const started = adapter.start(accept, never);
  for (const pauseMs of [1_000, 2_000]) {
    await expect.poll(() => clock.pending).toBe(1);
    expect(adapter.health()).toEqual({
      connected: false,
      detail: expect.stringMatching(/^cannot sign in at 127\.0\.0\.1:\d+ \(Discord answered 503\)$/u),
      nextTryAt: clock.now() + pauseMs,
    });
    await clock.advance(pauseMs);
  }
  await started;
  expect(adapter.health().connected).toBe(true);
});

test("an exhausted session start limit is reported, and a session starts once the limit resets", async () => {
  await using harbour = await openHarbour();
  const clock = new ManualClock(Date.now());
  const adapter = harbour.adapter({ clock });
  const session_start_limit = { total: 1_000, remaining: 0, reset_after: 3_600_000, max_concurrency: 1 };
  harbour.server.faults.refuseNext("other", { status: 200, body: { url: "ws://x", shards: 1, session_start_limit } });
  const started = adapter.start(accept, never);
  await expect.poll(() => clock.pending).toBe(1);
  expect(adapter.health()).toMatchObject({
    connected: false,
    detail: expect.stringContaining("Discord allows no new sessions before "),
  });
  await clock.advance(3_660_000);
  await started;
  expect(adapter.health().connected).toBe(true);
});

test("stop ends the wait for an unavailable Discord", async () => {
  await using harbour = await openHarbour();
  const clock = new ManualClock();
  const adapter = harbour.adapter({ clock });
  for (let request = 0; request < 2; request += 1) harbour.server.faults.failNext("other", 503);
  const started = failureOf(adapter.start(accept, never));
  await expect.poll(() => clock.pending).toBe(1);
  await adapter.stop();
  expect((await started)?.message).toBe("Discord is being stopped");
});

test.each(["cut", "moved"] as const)(
  "messages sent while the connection is %s arrive by RESUME, in order and once",
  async (how) => {
    await using harbour = await openHarbour();
    const { server, general, ana, botMention } = harbour;
    const inbox = new Inbox();
    await harbour.adapter().start(inbox.receive, never);
    server.people.say({ channel: general, user: ana }, `${botMention} before`);
    await inbox.nextMessage();
    if (how === "cut") server.gateway.drop();
    else server.gateway.askToReconnect();
    await server.gateway.until(() => server.gateway.openSockets === 0);
    for (const word of ["one", "two", "three"])
      server.people.say({ channel: general, user: ana }, `${botMention} ${word}`);
    const heard = [await inbox.nextMessage(), await inbox.nextMessage(), await inbox.nextMessage()];
    expect(heard.map(({ text }) => text)).toEqual(["one", "two", "three"]);
    expect(server.gateway.counts).toMatchObject({ identify: 1, resume: 1, replayed: 3 });
    expect(inbox.events).toHaveLength(4);
  },
);

test("a session that cannot be resumed is replaced by a new one", async () => {
  await using harbour = await openHarbour();
  const { server, general, ana, botMention } = harbour;
  const inbox = new Inbox();
  const adapter = harbour.adapter();
  await adapter.start(inbox.receive, never);
  const { receivingSince } = adapter.health();
  server.gateway.forgetSessions();
  server.gateway.drop();
  await server.gateway.until(() => server.gateway.counts.identify === 2);
  await expect.poll(() => adapter.health().connected).toBe(true);
  expect(adapter.health().receivingSince).toBeGreaterThan(receivingSince ?? Number.POSITIVE_INFINITY);
  server.people.say({ channel: general, user: ana }, `${botMention} again`);
  expect((await inbox.nextMessage()).text).toBe("again");
});

test("a start that waits for a silent gateway can be aborted", async () => {
  await using harbour = await openHarbour();
  const { gateway } = harbour.server;
  gateway.mute = true;
  const controller = new AbortController();
  const started = harbour.adapter().start(accept, controller.signal);
  await gateway.until(() => gateway.counts.pong === 1);
  controller.abort(new Error("shutting down"));
  await expect(started).rejects.toThrow("shutting down");
  await gateway.until(() => gateway.openSockets === 0);
});

test("stopping during a reconnect leaves no connection open", async () => {
  await using harbour = await openHarbour();
  const { gateway } = harbour.server;
  const adapter = harbour.adapter();
  await adapter.start(accept, never);
  gateway.drop();
  await expect.poll(() => adapter.health().connected).toBe(false);
  await adapter.stop();
  await gateway.until(() => gateway.openSockets === 0);
  await harbour.adapter().start(accept, never);
  gateway.drop();
  await gateway.until(() => gateway.counts.resume > 0);
  // A first connection that went on would have resumed half a second after it was cut.
  expect(gateway.counts).toMatchObject({ identify: 2, resume: 1 });
  expect(gateway.openSockets).toBe(1);
});

test("heartbeats are sent at the interval that the gateway requests", async () => {
  await using harbour = await openHarbour({ heartbeatMs: 50 });
  await harbour.adapter().start(accept, never);
  await harbour.server.gateway.until(() => harbour.server.gateway.counts.heartbeat >= 3);
  expect(harbour.server.gateway.counts.identify).toBe(1);
});

test("a message that cannot be stored is retried, and later messages of its channel wait for it", async () => {
  await using harbour = await openHarbour();
  const { server, general, ana, botMention } = harbour;
  const clock = new ManualClock();
  const inbox = new Inbox();
  await harbour.adapter({ clock }).start(inbox.receive, never);
  const mend = inbox.refuse();
  server.people.say({ channel: general, user: ana }, `${botMention} first`);
  server.people.say({ channel: general, user: ana }, `${botMention} second`);
  await expect.poll(() => clock.pending).toBe(1);
  mend();
  await clock.advance(250);
  expect([(await inbox.nextMessage()).text, (await inbox.nextMessage()).text]).toEqual(["first", "second"]);
});

test("posting while disconnected fails with an error that says so", async () => {
  await using harbour = await openHarbour();
  const thread = {
    platform: "discord" as const,
    workspaceId: harbour.guild.id,
    channelId: harbour.general.id,
    threadId: null,
  };
  const message = { lane: "answer" as const, tone: "plain" as const, markdown: "hi", buttons: [], files: [] };
  await expect(harbour.adapter().post(thread, message, "k")).rejects.toMatchObject({ code: "platform_failed" });
});
