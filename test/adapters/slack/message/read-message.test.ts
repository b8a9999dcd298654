import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Directory } from "../../../../src/adapters/slack/directory.ts";
import { readMessage } from "../../../../src/adapters/slack/message/read-message.ts";
import { SLACK_ELEMENTS } from "../../../contracts/slack-elements.ts";
import { SLACK_SAMPLES } from "../../../contracts/slack-messages.ts";
import { SLACK_MENUS } from "./menus.ts";

const directory: Directory = {
  person: () => Promise.reject(new Error("nobody is asked about")),
  member: () => Promise.reject(new Error("nobody is asked about")),
  namesOf: (ids) => Promise.resolve(new Map(ids.filter((id) => id === "U0ANA").map((id) => [id, "ana"]))),
  channelNames: (ids) => Promise.resolve(new Map(ids.filter((id) => id === "C0001").map((id) => [id, "ops"]))),
  channelName: (id) => Promise.resolve(id),
  file: () => Promise.resolve({}),
  channelsWith: () => Promise.resolve(new Set<string>()),
};

async function read(message: Readonly<Record<string, unknown>>) {
  const { text, quoted, files } = await readMessage(message, { directory, botUserId: "U0BOT" });
  return { whole: [text, ...quoted].join("\n"), files: files.map(({ name }) => name) };
}

const SAMPLES = [...SLACK_SAMPLES, ...SLACK_ELEMENTS, ...SLACK_MENUS];

test.each(SAMPLES)("$name is read", async ({ message, says, files = [] }) => {
  const got = await read(message);
  let from = 0;
  for (const words of says) {
    const at = got.whole.indexOf(words, from);
    expect(at, `${words}\nin\n${got.whole}`).toBeGreaterThanOrEqual(0);
    from = at;
  }
  expect(got.files).toEqual(files);
});

test.each([
  {
    timestamp: 1_700_000_000,
    format: "<@U1> {date} | {time} ^ UTC > now",
    shown: "<@U1> 2023-11-14   22:13 UTC   UTC > now",
  },
  { timestamp: "soon", format: "{date}", shown: "next week   <!channel> & on" },
])("a moment in rich text with signs of mrkdwn is read as $shown", async ({ shown, ...moment }) => {
  const date = { type: "date", fallback: "next week | <!channel> & on", ...moment };
  const section = { type: "rich_text_section", elements: [date] };
  const { whole } = await read({ bot_id: "B0CI", text: "", blocks: [{ type: "rich_text", elements: [section] }] });
  expect(whole).toBe(shown);
});

/** Puts an odd value into one place of a message. */
function altered(message: Readonly<Record<string, unknown>>, { key, value, at }: Oddity): Record<string, unknown> {
  const list = (name: "blocks" | "attachments" | "files") => {
    const known: unknown = message[name];
    return Array.isArray(known) ? known : [];
  };
  if (at === "field") return { ...message, [`new_${key}`]: value };
  if (at === "subtype") return { ...message, subtype: value };
  return { ...message, [at]: [...list(at), value, { type: key, [key]: value }] };
}

interface Oddity {
  readonly key: string;
  readonly value: unknown;
  readonly at: "field" | "subtype" | "blocks" | "attachments" | "files";
}

const oddity = fc.record({
  key: fc.string(),
  value: fc.anything(),
  at: fc.constantFrom(
    "field" as const,
    "subtype" as const,
    "blocks" as const,
    "attachments" as const,
    "files" as const,
  ),
});

test("unknown blocks, subtypes, attachments, files and fields leave the message readable", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...SAMPLES), oddity, async (sample, odd) => {
      const got = await read(altered(sample.message, odd));
      for (const words of sample.says) expect(got.whole).toContain(words);
      expect(got.files).toEqual(expect.arrayContaining([...(sample.files ?? [])]));
    }),
  );
});

test("a message with invalid values in any part is read", async () => {
  const part = fc.option(fc.anything({ maxDepth: 4 }));
  const parts = { text: part, blocks: part, attachments: part, files: part, room: part, item: part };
  await fc.assert(
    fc.asyncProperty(fc.record(parts), async (message) => {
      expect(typeof (await read(message)).whole).toBe("string");
    }),
  );
});

test("a message is read up to 40,000 characters and a few people and files", async () => {
  const many = Array.from({ length: 3_000 }, (_, index) => ({
    text: `<@U${index}> ${"x".repeat(100)}`,
    files: [{ id: `F${index}` }],
  }));
  let asked = 0;
  const counting = {
    ...directory,
    namesOf: (ids: readonly string[]) => Promise.resolve(new Map([[String((asked += ids.length)), ""]])),
  };
  const { text, quoted, files } = await readMessage(
    { text: "y", attachments: many },
    { directory: counting, botUserId: null },
  );
  expect([text, ...quoted].join("").length).toBeLessThanOrEqual(40_000);
  expect(asked).toBeLessThanOrEqual(40);
  expect(files).toHaveLength(20);
});

test("nested blocks are read up to a depth limit", async () => {
  let block: Record<string, unknown> = { type: "section", text: "the core" };
  for (let depth = 0; depth < 10_000; depth += 1) block = { type: "container", elements: [block], fields: [block] };
  expect((await read({ text: "outside", blocks: [block] })).whole).toContain("outside");
});

test.each([
  ["rich_text", "elements"],
  ["container", "child_blocks"],
  ["rich_text_section", "elements"],
])("a message of %s nested in %s to any depth is read up to the limit", async (type, key) => {
  let block: Record<string, unknown> = { type: "section", text: { type: "mrkdwn", text: "deepest" } };
  for (let level = 0; level < 10_000; level += 1) block = { type, [key]: [block] };
  const blocks = [{ type: "rich_text", elements: [block] }, block, { type: "section", text: "after" }];
  expect((await read({ bot_id: "B0CI", text: "", blocks, attachments: [{ blocks }] })).whole).toContain("after");
});
