import { describe, expect, test } from "vitest";
import type { InboundMessage } from "../../src/core/platform/inbound.ts";
import type { PlatformHarness, PlatformTraits } from "./platform-harness.ts";
import { begin, failureOf, plainMessage, required, testIf } from "./platform-steps.ts";

type Open = () => Promise<PlatformHarness>;

export function outboundContract(open: Open, traits: PlatformTraits): void {
  describe("outgoing messages", () => {
    posting(open);
    postingOnce(open);
    harmless(open);
    besides(open);
    failing(open, traits);
  });
}

/** Starts the adapter and a thread of Ana's in which the bot may post. */
async function openThread(harness: PlatformHarness): Promise<InboundMessage> {
  const inbox = await begin(harness);
  await harness.mention("hello");
  return inbox.nextMessage();
}

async function botMessages(harness: PlatformHarness, thread: InboundMessage["thread"]) {
  return (await harness.visible(thread)).filter((message) => message.by === "bot");
}

function posting(open: Open): void {
  test("a post appears in the thread with text, footer and buttons", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const posted = await harness.platform.post(
      thread,
      plainMessage("The port is **9090** now.", {
        footer: "✓ 3 turns · 2 tools",
        buttons: [{ id: "details:run_1", label: "Details", style: "default" }],
      }),
      "answer:0",
    );
    const messages = await botMessages(harness, thread);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({
      messageId: posted.messageId,
      buttons: [{ id: "details:run_1", label: "Details" }],
    });
    expect(messages[0]?.text).toContain("9090");
    expect(messages[0]?.text).toContain("✓ 3 turns · 2 tools");
    expect(posted.platform).toBe(harness.platform.descriptor.name);
  });

  test("an edit changes the message in place, its buttons too", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const buttons = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];
    const posted = await harness.platform.post(thread, plainMessage("working", { buttons }), "live");
    await harness.platform.edit(posted, plainMessage("finished"));
    const messages = await botMessages(harness, thread);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ messageId: posted.messageId, buttons: [] });
    expect(messages[0]?.text).toContain("finished");
    expect(messages[0]?.text).not.toContain("working");
  });

  test("the files of a card remain after its decision", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const data = new TextEncoder().encode("+port = 9090\n");
    const files = [{ name: "call.diff", mediaType: "text/x-diff", data }];
    const buttons = [{ id: "approve:y:run_1", label: "Allow once", style: "primary" as const }];
    const posted = await harness.platform.post(thread, plainMessage("Change it?", { buttons, files }), "card");
    await harness.platform.edit(posted, plainMessage("Allowed by @ana"));
    const messages = await botMessages(harness, thread);
    expect(messages.map(({ text }) => text).join()).toContain("Allowed by @ana");
    expect(messages.flatMap((message) => message.files).map(({ name }) => name)).toEqual(["call.diff"]);
  });

  test.each(["plain", "error", "task"] as const)("a message in the %s tone contains the same text", async (tone) => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    await harness.platform.post(thread, plainMessage("Both models are overloaded.", { tone }), "k");
    expect((await botMessages(harness, thread))[0]?.text).toContain("Both models are overloaded.");
  });

  test("messages of the maximum length are posted completely", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const { messageChars, editChars } = harness.platform.descriptor.limits;
    const words = (length: number, mark: string) => `${"word ".repeat(length).slice(0, length - mark.length)}${mark}`;
    const posted = await harness.platform.post(thread, plainMessage(words(messageChars, "END")), "long");
    expect((await botMessages(harness, thread))[0]?.text).toContain("END");
    const footer = "✓ 3 turns · 2 tools · 6 s · $0.004";
    const buttons = [{ id: "stop:run_1", label: "Stop", style: "danger" as const }];
    await harness.platform.edit(posted, plainMessage(words(editChars, "DONE"), { footer, buttons }));
    expect((await botMessages(harness, thread))[0]?.text).toContain("DONE");
  });
}

function postingOnce(open: Open): void {
  test("a post whose response is lost is found by its key, by this process and by another", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const since = Date.now();
    await harness.platform.post(thread, plainMessage("another"), "run_1:live");
    harness.loseNextPostResponse();
    const failure = await failureOf(harness.platform.post(thread, plainMessage("the answer"), "run_1:answer:0"));
    if (failure !== null) expect(["network", "platform_failed"]).toContain(failure.code);
    const found = await harness.platform.find(thread, "run_1:answer:0", since);
    const answers = (await botMessages(harness, thread)).filter((message) => message.text.includes("the answer"));
    expect(answers.map((message) => message.messageId)).toEqual([found?.messageId]);
    await harness.platform.stop();
    const next = harness.another();
    await next.start(() => Promise.resolve({ type: "accepted" }), new AbortController().signal);
    expect(await next.find(thread, "run_1:answer:0", since)).toEqual(found);
    if (found !== null) await next.edit(found, plainMessage("mended"));
    expect((await botMessages(harness, thread)).map((message) => message.text).join()).toContain("mended");
  });

  test("a key that was never posted is not found", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const since = Date.now();
    await harness.platform.post(thread, plainMessage("something"), "run_1:answer:0");
    expect(await harness.platform.find(thread, "run_1:answer:1", since)).toBeNull();
    expect(await harness.platform.find(thread, "run_1:answer", since)).toBeNull();
  });
}

function harmless(open: Open): void {
  test("text of a model cannot mention people or cause link previews", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const bob = harness.personId("bob").replace(/^[a-z]+:/u, "");
    const text = [
      `@everyone @here <!channel> <!here> <!everyone> <@${bob}> <@!${bob}> <@&123> <!subteam^S1> <#C1>`,
      "see https://evil.example/leak?q=secret and [this](https://evil.example/two) ![x](https://evil.example/three.png)",
      `\`<@${bob}>\` **<!channel>** [<!here>](https://evil.example/four) &lt;!channel&gt;`,
    ].join("\n\n");
    const footer = `asked by <@${bob}> @everyone`;
    const posted = await harness.platform.post(thread, plainMessage(text, { footer }), "k1");
    const expectHarmless = async () => {
      const [message] = await botMessages(harness, thread);
      expect(message).toMatchObject({ pings: [], previews: [] });
      expect(message?.text).toContain("everyone");
      expect(message?.text).toContain("evil.example/leak?q=secret");
    };
    await expectHarmless();
    await harness.platform.edit(posted, plainMessage(`edited ${text}`, { footer }));
    await expectHarmless();
  });
}

function besides(open: Open): void {
  test("an ephemeral message is visible to its addressee only", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    await harness.platform.postEphemeral(thread, harness.personId("ana"), plainMessage("between us"));
    expect((await harness.ephemeralsTo("ana")).join()).toContain("between us");
    expect(await harness.ephemeralsTo("bob")).toEqual([]);
    expect(await botMessages(harness, thread)).toEqual([]);
  });

  test("a reaction is added to the person's message, and adding it twice is no error", async () => {
    await using harness = await open();
    const { thread, messageId } = await openThread(harness);
    await harness.platform.react(thread, messageId, "working");
    await harness.platform.react(thread, messageId, "working");
    await harness.platform.react(thread, messageId, "seen");
    const message = (await harness.visible(thread)).find((message) => message.messageId === messageId);
    expect(new Set(message?.reactions).size).toBe(2);
  });

  test("an uploaded file arrives complete under its name", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const data = new TextEncoder().encode("# Report\n".repeat(2_000));
    await harness.platform.upload(thread, { name: "answer.md", mediaType: "text/markdown", data }, "answer:file");
    const files = (await botMessages(harness, thread)).flatMap((message) => message.files);
    expect(files.map((file) => file.name)).toEqual(["answer.md"]);
    expect(new Uint8Array(required(files[0]).data)).toEqual(data);
  });

  test("a thread is read oldest first; a long one by its root and newest messages", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const { signal } = new AbortController();
    await harness.platform.post(thread, plainMessage("hi"), "k1");
    for (const text of ["one", "two", "three", "four"]) await harness.reply(thread, text, { as: "bob" });
    const all = await harness.platform.fetchThread(thread, 50, signal);
    expect(all.map((message) => message.text)).toEqual([
      expect.stringContaining("hello"),
      "hi",
      "one",
      "two",
      "three",
      "four",
    ]);
    expect(all.map((message) => message.author.isBot)).toEqual([false, true, false, false, false, false]);
    expect(all.map((message) => message.author.isOurs === true)).toEqual([false, true, false, false, false, false]);
    expect(all[2]?.author.id).toBe(harness.personId("bob"));
    expect(all.map((message) => message.at)).toEqual(all.map((message) => message.at).toSorted((a, b) => a - b));
    const short = await harness.platform.fetchThread(thread, 3, signal);
    expect(short.map((message) => message.text)).toEqual([expect.stringContaining("hello"), "three", "four"]);
  });
}

function failing(open: Open, traits: PlatformTraits): void {
  test.each(["post", "edit"] as const)("a 429 on %s is reported with its delay, and a retry succeeds", async (kind) => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const act = async () => {
      if (kind === "post") await harness.platform.post(thread, plainMessage("the answer"), "k2");
      else await harness.platform.edit(posted, plainMessage("the answer"));
    };
    const posted = await harness.platform.post(thread, plainMessage("first"), "k1");
    harness.rateLimitNext(kind, 1_000);
    const failure = await failureOf(act());
    if (failure !== null) {
      expect(failure.code).toBe("platform_rate_limited");
      expect(failure.retryAfterMs).toBeGreaterThanOrEqual(1_000);
      await act();
    }
    const answers = (await botMessages(harness, thread)).filter((message) => message.text.includes("the answer"));
    expect(answers).toHaveLength(1);
  });

  test("a platform failure is reported, and the post can be retried", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    harness.failNextPost();
    const failure = await failureOf(harness.platform.post(thread, plainMessage("the answer"), "k1"));
    if (failure !== null) {
      expect(failure.code).toBe("platform_failed");
      expect(await harness.platform.find(thread, "k1", Date.now() - 1_000)).toBeNull();
      await harness.platform.post(thread, plainMessage("the answer"), "k1");
    }
    expect(await botMessages(harness, thread)).toHaveLength(1);
  });

  test("a deleted thread is reported as such", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const posted = await harness.platform.post(thread, plainMessage("hi"), "k1");
    harness.deleteThread(thread);
    const gone = { name: "PlatformError", code: "thread_gone" };
    await expect(harness.platform.post(thread, plainMessage("more"), "k2")).rejects.toMatchObject(gone);
    await expect(harness.platform.edit(posted, plainMessage("less"))).rejects.toMatchObject(gone);
  });

  testIf(traits.credentials)("a missing permission is named in the error", async () => {
    await using harness = await open();
    const { thread } = await openThread(harness);
    const scope = required(harness.withholdPermission)();
    await expect(harness.platform.post(thread, plainMessage("hi"), "k1")).rejects.toMatchObject({
      name: "PlatformError",
      code: "missing_scope",
      detail: { scope },
    });
  });
}
