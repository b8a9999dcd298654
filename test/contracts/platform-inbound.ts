import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../../src/core/platform/inbound.ts";
import type { PlatformHarness, PlatformTraits } from "./platform-harness.ts";
import { begin, plainMessage, required, testIf } from "./platform-steps.ts";

type Open = () => Promise<PlatformHarness>;

export function inboundContract(open: Open, traits: PlatformTraits): void {
  describe("incoming messages", () => {
    messages(open, traits);
    threads(open, traits);
    answering(open, traits);
    noise(open);
  });
}

function messages(open: Open, traits: PlatformTraits): void {
  test("a mention becomes one message with its person, thread and text, the mention removed", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    const said = await harness.mention("change port to 9090 in config.toml");
    const event = await inbox.nextMessage();
    expect(event).toMatchObject({
      kind: "message",
      text: "change port to 9090 in config.toml",
      addressed: traits.mentions ? "mention" : "dm",
      opensThread: true,
      messageId: said.messageId,
      attachments: [],
      quoted: [],
      person: { id: harness.personId("ana"), isBot: false, isGuest: false, isExternal: false },
    });
    expect(event.thread.platform).toBe(harness.platform.descriptor.name);
    expect(event.thread.channelId).toBe(event.channel.id);
    expect(event.thread.workspaceId).toBe(event.workspace.id);
    expect(event.key.startsWith(`${harness.platform.descriptor.name}:`)).toBe(true);
    expect(event.person.name.length).toBeGreaterThan(0);
    expect(event.at).toBeGreaterThan(1_500_000_000_000);
  });

  test("a message delivered twice has the same key and the same thread", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    const said = await harness.mention("once");
    const first = await inbox.nextMessage();
    const before = inbox.events.length;
    await harness.redeliver(said);
    await harness.mention("after it");
    expect((await inbox.nextMessage()).text).toBe("after it");
    const repeats = inbox.events.slice(before).filter((event) => event.kind === "message" && event.text === "once");
    for (const repeat of repeats) expect([repeat.key, repeat.thread]).toEqual([first.key, first.thread]);
    expect(inbox.fresh.map((event) => event.key)).toHaveLength(2);
  });

  test("a file is passed as a reference, and its bytes can be fetched", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    const data = new TextEncoder().encode("port = 8080\n");
    await harness.mention("look at this", { file: { name: "config.toml", mediaType: "text/plain", data } });
    const [attachment] = (await inbox.nextMessage()).attachments;
    const file = required(attachment);
    expect(file).toMatchObject({ name: "config.toml", size: data.length });
    const { signal } = new AbortController();
    expect(new Uint8Array(await harness.platform.fetchFile(file, 1_000, signal))).toEqual(data);
    await expect(harness.platform.fetchFile(file, 5, signal)).rejects.toMatchObject({ code: "attachment_unreadable" });
  });

  testIf(traits.quotes)("quoted text is passed separately from the message's own text", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    await harness.mention("is this true?", { quoting: "the disk is full" });
    const event = await inbox.nextMessage();
    expect(event.text).toBe("is this true?");
    expect(event.quoted.join("\n")).toContain("the disk is full");
  });
}

function threads(open: Open, traits: PlatformTraits): void {
  test("a message in a thread belongs to that thread", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    await harness.mention("hello");
    const { thread } = await inbox.nextMessage();
    await harness.platform.post(thread, plainMessage("hi"), "k1");
    const expectInThread = (event: InboundMessage, addressed: InboundMessage["addressed"]) => {
      expect(event.thread).toEqual(thread);
      expect(event.opensThread).toBe(false);
      expect(event.addressed).toBe(traits.mentions ? addressed : "dm");
    };
    await harness.reply(thread, "and the tests", { as: "bob" });
    const reply = await inbox.nextMessage();
    expectInThread(reply, "none");
    expect(reply.person.id).toBe(harness.personId("bob"));
    await harness.mentionIn(thread, "also the docs");
    const mention = await inbox.nextMessage();
    expectInThread(mention, "mention");
    expect(mention.text).toBe("also the docs");
  });

  test("two mentions in a channel open two threads", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    await harness.mention("one");
    const one = await inbox.nextMessage();
    await harness.mention("two");
    const two = await inbox.nextMessage();
    expect(two.thread).not.toEqual(one.thread);
    expect(two.channel.id).toBe(one.channel.id);
  });

  testIf(traits.mentions)("a message that begins by mentioning somebody else is marked as such", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    await harness.mention("hello");
    const { thread } = await inbox.nextMessage();
    await harness.platform.post(thread, plainMessage("hi"), "k1");
    await required(harness.replyToBob)(thread, "what do you think?");
    const event = await inbox.nextMessage();
    expect(event.addressed).toBe("other");
    expect(event.text).toMatch(/^@\S+ what do you think\?$/u);
  });

  testIf(traits.dms !== "none")("a direct message is addressed to the bot without a mention", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    const dm = required(harness.dm);
    await dm("hello");
    const first = await inbox.nextMessage();
    expect(first).toMatchObject({ addressed: "dm", text: "hello", channel: { kind: "dm" } });
    expect(first.opensThread).toBe(traits.dms === "threads");
    await dm("something else");
    const second = await inbox.nextMessage();
    if (traits.dms === "rolling") expect(second.thread).toEqual(first.thread);
    else expect(second.thread).not.toEqual(first.thread);
    await harness.platform.post(first.thread, plainMessage("hi"), "k1");
    expect((await harness.visible(first.thread)).map((message) => message.by)).toContain("bot");
  });
}

function answering(open: Open, traits: PlatformTraits): void {
  testIf(traits.answersMessages)("a message is acknowledged only after it was received", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    const release = inbox.hold();
    const said = await harness.mention("hello");
    await inbox.nextMessage();
    expect(said.isAnswered()).toBe(false);
    release();
    await said.answered;
    expect(said.isAnswered()).toBe(true);
  });

  testIf(traits.answersMessages)("a message that could not be received is delivered again", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    const mend = inbox.refuse();
    const said = await harness.mention("hello");
    await inbox.until(() => inbox.events.length > 0);
    mend();
    await harness.redeliver(said);
    expect((await inbox.nextMessage()).text).toBe("hello");
  });

  test("a click is delivered with the button's id, and acknowledged only after it was received", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    await harness.mention("hello");
    const { thread, channel } = await inbox.nextMessage();
    const id = `stop:${"r".repeat(95)}`;
    const buttons = [{ id, label: "Stop", style: "danger" as const }];
    const posted = await harness.platform.post(thread, plainMessage("working", { buttons }), "live");
    const release = inbox.hold();
    const clicked = await harness.click(posted, id, "bob");
    const event = await inbox.next();
    expect(event).toMatchObject({ kind: "action", action: id, thread, person: { id: harness.personId("bob") } });
    expect(event.channel.id).toBe(channel.id);
    expect(clicked.isAnswered()).toBe(false);
    release();
    await clicked.answered;
  });

  test("a refused person is told the reason in an ephemeral message", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    inbox.answerWith({ type: "refused", reason: "Guests may not use Deckhand here." });
    await harness.mention("hello");
    const { thread } = await inbox.nextMessage();
    await expect.poll(() => harness.ephemeralsTo("ana")).toHaveLength(1);
    expect((await harness.ephemeralsTo("ana"))[0]).toContain("Guests may not use Deckhand here.");
    expect(await harness.ephemeralsTo("bob")).toEqual([]);
    expect((await harness.visible(thread)).filter((message) => message.by === "bot")).toEqual([]);
  });

  test("the private answer to a click is visible to the person who clicked only", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    await harness.mention("hello");
    const { thread } = await inbox.nextMessage();
    const buttons = [{ id: "details:run_1", label: "Details", style: "default" as const }];
    const posted = await harness.platform.post(thread, plainMessage("done", { buttons }), "live");
    inbox.answerWith({ type: "reply", message: plainMessage("read config.toml, 12 lines") });
    await harness.click(posted, "details:run_1", "bob");
    await expect.poll(() => harness.ephemeralsTo("bob")).toHaveLength(1);
    expect((await harness.ephemeralsTo("bob"))[0]).toContain("read config.toml, 12 lines");
    expect(await harness.ephemeralsTo("ana")).toEqual([]);
    expect((await harness.visible(thread)).filter((message) => message.by === "bot")).toHaveLength(1);
  });
}

function noise(open: Open): void {
  test("the bot's own messages, other bots, edits, joins, unknown and malformed events produce no message", async () => {
    await using harness = await open();
    const inbox = await begin(harness);
    await harness.mention("hello");
    const { thread } = await inbox.nextMessage();
    await harness.platform.post(thread, plainMessage("my own words"), "k1");
    for (const [index, noise] of harness.noise.entries()) {
      const warnings = harness.warnings();
      await noise.deliver(thread);
      await harness.mention(`after ${noise.name}`);
      expect((await inbox.nextMessage()).text, noise.name).toBe(`after ${noise.name}`);
      expect(inbox.fresh, noise.name).toHaveLength(index + 2);
      if (noise.logged) expect(harness.warnings(), noise.name).toBeGreaterThan(warnings);
    }
    expect(harness.noise.length).toBeGreaterThan(0);
  });
}
