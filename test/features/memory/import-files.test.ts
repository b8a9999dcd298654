import { writeFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { createBot } from "../../support/program/bot.ts";
import { runCli } from "../../support/program/cli.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const CHANNEL = "channel:slack:C1";

/** A home, and files that others have written into the directory beside it. */
function home() {
  const cwd = tempDirectory();
  const cli = (...args: string[]) =>
    runCli(["memory", ...args], { cwd, env: { DECKHAND_HOME: path.join(cwd, "data") } });
  return {
    cli,
    stats: async () => (await cli("stats")).out,
    takeIn: (content: string | Uint8Array) => {
      const file = path.join(cwd, "given.jsonl");
      writeFileSync(file, content);
      return cli("import", file, "--no-learn");
    },
  };
}

const line = (text: string, more: object = {}) => JSON.stringify({ text, scope: CHANNEL, ...more });

test("a byte order mark, CRLF line ends, empty lines and nulls are accepted", async () => {
  const { takeIn, cli } = home();
  const nulls = { id: null, kind: null, author: null, at: null, source: null };
  const { out, failed } = await takeIn(
    `\uFEFF${line("The heron is grey")}\r\n\r\n${line("Tea is at four", nulls)}\r\n`,
  );
  expect({ out, failed }).toEqual({ out: "✓ 2 memories imported, 0 lines refused", failed: false });
  expect((await cli("search", "heron", "--scope", CHANNEL, "--json")).out).toContain('"text":"The heron is grey"');
});

test("invalid lines are reported with the reason, and the others are imported", async () => {
  const { takeIn, stats } = home();
  const lines = [
    line("The build box is A1"),
    "{ broken",
    '["a list"]',
    line("x", { kind: "fact" }),
    line("x", { scope: "team:x" }),
    line("x", { id: 7 }),
    line(""),
    line("x".repeat(1_000_000)),
    line("The test box is A2", { colour: "green" }),
    JSON.stringify({ text: "x" }),
  ];
  const { out, failed } = await takeIn(lines.join("\n"));
  expect(out.split("\n")).toEqual([
    "⚠ line 2: is not a JSON object",
    "⚠ line 3: is not a JSON object",
    expect.stringMatching(/^⚠ line 4: kind: .*working.*procedural/u),
    "⚠ line 5: scope: must look like person:slack:U1 or channel:slack:C1",
    "⚠ line 6: id: must be a string",
    "⚠ line 7: There is nothing to remember in that.",
    expect.stringMatching(/^⚠ line 8: That is too long to remember: 1000000 characters/u),
    "⚠ line 10: scope: is missing",
    "✓ 2 memories imported, 8 lines refused",
  ]);
  expect(failed).toBe(false);
  expect(await stats()).toBe("2 memories · 2 semantic");
});

test.each([
  ["compressed", gzipSync(`${line("x")}\n`)],
  ["one list", JSON.stringify([{ text: "x", scope: CHANNEL }], null, 1)],
])("a file that is %s is refused with a non-zero exit code", async (_what, content) => {
  const { takeIn } = home();
  const { out, failed } = await takeIn(content);
  expect(out).toMatch(/⚠ line 1: is not a JSON object\n[^]*✗ 0 memories imported, \d+ lines? refused$/u);
  expect(failed).toBe(true);
});

test("control characters and bidirectional overrides are not printed to the terminal", async () => {
  const { takeIn, cli } = home();
  await takeIn(line("The heron\u0000 is \u001b[31mred\u202e"));
  const { out } = await cli("search", "heron", "--scope", CHANNEL);
  expect(out).toContain("red");
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  expect(out).not.toMatch(/[\u0000-\u0008\u001b\u202e]/u);
});

test("importing a file again, completely or after a partial import, creates no duplicates", async () => {
  const { takeIn, stats } = home();
  const lines = ["A1 builds", "A2 tests", "A3 idles"].map((text) => line(text));
  await takeIn(lines.slice(0, 2).join("\n"));
  await takeIn(lines.join("\n"));
  expect(await stats()).toBe("3 memories · 3 semantic");
});

test("two concurrent imports beside a running bot lose nothing", async () => {
  await using bot = await createBot();
  await bot.start();
  const texts = (name: string) => Array.from({ length: 500 }, (_, index) => line(`${name} ${index} is a heron`));
  const cwd = tempDirectory();
  const cli = (...args: string[]) =>
    runCli(["memory", ...args], { cwd, env: { DECKHAND_HOME: path.join(bot.home, "data") } });
  const imports = ["first", "second"].map((name) => {
    const file = path.join(cwd, name);
    writeFileSync(file, texts(name).join("\n"));
    return cli("import", file);
  });
  for (const { out, error } of await Promise.all(imports)) {
    expect({ out, error }).toEqual({ out: "✓ 500 memories imported, 0 lines refused", error: "" });
  }
  expect((await cli("stats")).out).toBe("1000 memories · 1000 semantic");
});
