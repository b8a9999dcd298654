import { describe, expect, test } from "vitest";
import type { PlatformHarness, PlatformTraits } from "./platform-harness.ts";
import { begin, failureOf, plainMessage, required, testIf } from "./platform-steps.ts";

type Open = () => Promise<PlatformHarness>;

export function lifecycleContract(open: Open, traits: PlatformTraits): void {
  describe("the connection", () => {
    test("it is unhealthy before start, healthy while connected, unhealthy after stop", async () => {
      await using harness = await open();
      const { platform } = harness;
      expect(platform.health().connected).toBe(false);
      expect(platform.health().detail.length).toBeGreaterThan(0);
      await begin(harness);
      expect(platform.health().connected).toBe(true);
      await platform.stop();
      expect(platform.health().connected).toBe(false);
    });

    test("stop closes its connections, ends the delivery of events, and may be called twice", async () => {
      await using harness = await open();
      const inbox = await begin(harness);
      await harness.mention("hello");
      const { thread } = await inbox.nextMessage();
      await harness.platform.stop();
      await harness.platform.stop();
      await expect.poll(() => harness.openConnections()).toBe(0);
      const heard = inbox.events.length;
      const next = harness.another();
      const { promise: heardByNext, resolve } = Promise.withResolvers<void>();
      await next.start((event) => {
        // Messages that were not acknowledged before the stop may be delivered again first.
        if (event.kind === "message" && event.text === "anybody there?") resolve();
        return Promise.resolve({ type: "accepted" });
      }, new AbortController().signal);
      await harness.reply(thread, "anybody there?");
      await heardByNext;
      expect(inbox.events).toHaveLength(heard);
    });

    test("after a lost connection it reconnects and delivers new messages", async () => {
      await using harness = await open();
      const inbox = await begin(harness);
      await harness.mention("before");
      const { thread } = await inbox.nextMessage();
      await harness.dropConnection();
      await expect.poll(() => harness.platform.health().connected).toBe(true);
      await harness.mention("after");
      expect((await inbox.nextMessage()).text).toBe("after");
      await harness.platform.post(thread, plainMessage("still here"), "k1");
    });

    test("an aborted start leaves no connection open", async () => {
      await using harness = await open();
      const controller = new AbortController();
      controller.abort(new Error("shutting down"));
      await expect(
        harness.platform.start(() => Promise.resolve({ type: "accepted" }), controller.signal),
      ).rejects.toThrow("shutting down");
      await expect.poll(() => harness.openConnections()).toBe(0);
    });

    testIf(traits.credentials)("a token that the platform refuses is reported at once", async () => {
      await using harness = await open();
      const stranger = required(harness.wrongToken)();
      const failure = await failureOf(
        stranger.start(() => Promise.resolve({ type: "accepted" }), new AbortController().signal),
      );
      expect(failure?.code).toBe("platform_auth");
      expect(stranger.health().connected).toBe(false);
      await stranger.stop();
    });
  });
}
