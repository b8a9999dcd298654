import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../support/program/cli.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const CHANNEL = "channel:slack:C1";

function home() {
  const cwd = tempDirectory();
  const given = { cwd, env: { DECKHAND_HOME: path.join(cwd, "data") } };
  return {
    cli: (...args: string[]) => runCli(["memory", ...args], given),
    file: (name: string, lines: readonly unknown[]): string => {
      const place = path.join(cwd, name);
      writeFileSync(place, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
      return place;
    },
  };
}

test("what is imported is found in its scope, and exported as it was given", async () => {
  const { cli, file } = home();
  const told = {
    id: "D1:3",
    text: "We deploy on Thursdays",
    kind: "semantic",
    scope: CHANNEL,
    author: "Caroline",
    at: "1:56 pm on 8 May, 2023",
    source: "talk",
  };
  const elsewhere = { ...told, id: "D2:1", text: "We deploy on Mondays", scope: "channel:slack:C2" };
  const lines = [
    told,
    elsewhere,
    "{ broken",
    { text: "no scope" },
    { ...told, id: "D1:4", text: "my password is hunter2hunter2" },
  ];
  const imported = await cli("import", file("notes.jsonl", lines), "--no-learn");
  expect(imported.out).toContain("✓ 2 memories imported, 3 lines refused");
  expect(imported.out).toMatch(/line 5: That looks like a password/u);

  const searched = await cli("search", "when is the deployment", "--scope", CHANNEL, "--json");
  expect(JSON.parse(searched.out)).toMatchObject({ id: "D1:3", text: told.text, source: "talk" });
  expect((await cli("export", "--scope", CHANNEL)).out).toBe(JSON.stringify(told));
  expect((await cli("stats")).out).toBe("2 memories · 2 semantic");

  await cli("import", file("again.jsonl", [told]));
  expect((await cli("stats")).out).toBe("2 memories · 2 semantic");
});

test("of lines with one id the last is kept, whether they come together or one is there already", async () => {
  const { cli, file } = home();
  const line = (text: string) => ({ id: "a", text, scope: CHANNEL });
  await cli("import", file("notes.jsonl", [line("The heron is grey"), line("The heron is white")]));
  expect(await cli("export").then(({ out }) => out.split("\n"))).toHaveLength(1);
  await cli("import", file("later.jsonl", [line("The heron is blue")]));
  expect((await cli("search", "heron grey white", "--scope", CHANNEL, "--json")).out).toContain("is blue");
  expect((await cli("stats")).out).toBe("1 memories · 1 semantic");
});

test("a batch answers each line in its order, one line for each", async () => {
  const { cli, file } = home();
  await cli("import", file("notes.jsonl", [{ id: "a", text: "The heron is grey", scope: CHANNEL }]));
  const questions = [
    { id: 1, query: "what colour is the heron", scope: CHANNEL },
    "nonsense",
    { id: "none", query: "the", scope: CHANNEL },
  ];
  const { out } = await cli("search", "--batch", file("questions.jsonl", questions), "--limit", "5");
  const answers: unknown[] = out.split("\n").map((line): unknown => JSON.parse(line));
  expect(answers).toMatchObject([
    { id: 1, results: [{ id: "a", text: "The heron is grey", source: "import" }] },
    { id: null, results: [] },
    { id: "none", results: [] },
  ]);
});

test.each([
  [["import", "/nowhere/notes.jsonl"], /✗ \/nowhere\/notes\.jsonl cannot be read \(ENOENT\)/u],
  [["search", "deploy", "--scope", "C1"], /It is like person:slack:U1/u],
  [["search", "deploy"], /wants a query and --scope/u],
])("%j says what is wrong", async (args, says) => {
  const { error, failed } = await home().cli(...args);
  expect(error).toMatch(says);
  expect(failed).toBe(true);
});
