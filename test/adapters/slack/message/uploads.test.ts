import { expect, test } from "vitest";
import type { OutgoingMessage } from "../../../../src/core/platform/outgoing.ts";
import type { ThreadRef } from "../../../../src/core/platform/thread.ts";
import { begin, plainMessage } from "../../../contracts/platform-steps.ts";
import { openSlackHarness, type SlackHarness } from "../../../support/slack/slack-harness.ts";

const { signal } = new AbortController();
const CHART = { name: "chart.png", mediaType: "image/png", data: new Uint8Array([1, 2, 3]) };
const TABLE = { name: "a.csv", mediaType: "text/csv", data: new TextEncoder().encode("port,9090") };
const WORDS = "✅ The **figures** of `config.toml` & more, @everyone.";

async function opened(harness: SlackHarness): Promise<ThreadRef> {
  const inbox = await begin(harness);
  await harness.mention("hello");
  return (await inbox.nextMessage()).thread;
}

function withFiles(markdown: string, more: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return plainMessage(markdown, { files: [CHART], ...more });
}

/** Texts and file names of the bot's messages in the thread. */
async function ours(harness: SlackHarness, thread: ThreadRef) {
  const messages = (await harness.visible(thread)).filter(({ by }) => by === "bot");
  return messages.map(({ text, files }) => [text, files.map(({ name }) => name).join()]);
}

test("files and their comment are one message, which notifies nobody", async () => {
  await using harness = await openSlackHarness();
  const thread = await opened(harness);
  await harness.platform.post(thread, withFiles(WORDS, { files: [CHART, TABLE], footer: "✓ 2 s" }), "k");
  expect(await ours(harness, thread)).toEqual([
    [":white_check_mark: The *figures* of `config.toml` &amp; more, @\u200beveryone.\n✓ 2 s", "chart.png,a.csv"],
  ]);
  expect((await harness.visible(thread)).at(-1)).toMatchObject({ pings: [], previews: [] });
});

test.each([
  { what: "has buttons", message: { buttons: [{ id: "allow", label: "Allow", style: "primary" as const }] } },
  {
    what: "names an address, which Slack would fetch",
    message: { markdown: "See https://evil.example/leak?q=secret" },
  },
  { what: "names a host", message: { markdown: "See evil.example/leak" } },
  { what: "is a table", message: { markdown: "| a |\n|---|\n| 1 |" } },
  { what: "has code in a fence", message: { markdown: "This:\n```ts\nlet a;\n```" } },
  { what: "is long", message: { markdown: "word ".repeat(1_000) } },
])("a text that $what is posted separately, after its files", async ({ message }) => {
  await using harness = await openSlackHarness();
  const thread = await opened(harness);
  await harness.platform.post(thread, withFiles("The figures.", message), "k");
  expect((await ours(harness, thread)).map(([text, files]) => [text === "", files])).toEqual([
    [true, "chart.png"],
    [false, ""],
  ]);
  expect((await harness.visible(thread)).flatMap(({ previews }) => previews)).toEqual([]);
});

test("a message that opens a thread needs its ts, so it is posted separately from its files", async () => {
  await using harness = await openSlackHarness();
  const thread = await opened(harness);
  const posted = await harness.platform.post({ ...thread, threadId: null }, withFiles("The report."), "k");
  expect(harness.server.workspace.find("C0001", posted.messageId)).toBeDefined();
});

test.each(["this process", "the next one"])(
  "an upload whose response was lost is found by %s and posted only once",
  async (who) => {
    await using harness = await openSlackHarness();
    const thread = await opened(harness);
    const { platform, server } = harness;
    const since = Date.now();
    const message = withFiles(`${WORDS} Twice.`);
    server.faults.add("files.completeUploadExternal", { kind: "lost" });
    await expect(platform.post(thread, message, "k")).rejects.toMatchObject({ code: "network" });
    const later = who === "this process" ? platform : harness.adapter();
    if (later !== platform) await later.start(() => Promise.resolve({ type: "accepted" }), signal);
    expect(await later.find(thread, "k", since)).toBeNull();
    const posted = await later.post(thread, message, "k");
    expect(server.workspace.find(thread.channelId, posted.messageId)?.files).toHaveLength(1);
    expect(await ours(harness, thread)).toHaveLength(1);
  },
);

test.each([
  { other: "words", message: withFiles("Of another.") },
  { other: "files", message: withFiles("The figures.", { files: [TABLE] }) },
])("a later message of the bot with other $other is not mistaken for the lost upload", async ({ message }) => {
  await using harness = await openSlackHarness();
  const thread = await opened(harness);
  const { platform } = harness;
  const since = Date.now();
  await platform.post(thread, message, "another");
  expect(await platform.find(thread, "k", since)).toBeNull();
  await platform.post(thread, withFiles("The figures."), "k");
  expect(await ours(harness, thread)).toHaveLength(2);
});
