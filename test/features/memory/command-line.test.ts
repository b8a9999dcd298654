import { writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { openFileStore } from "../../support/database/empty-database.ts";
import { startEmbeddings, tokensOf } from "../../support/model/embeddings-server.ts";
import { runCli } from "../../support/program/cli.ts";
import { tempDirectory } from "../../support/temp-directory.ts";

const CHANNEL = "channel:slack:C1";

function home(env: Readonly<Record<string, string>> = {}) {
  const cwd = tempDirectory();
  const given = { cwd, env: { DECKHAND_HOME: path.join(cwd, "data"), ...env } };
  return {
    doctor: () => runCli(["doctor"], given),
    settings: (settings: unknown) => writeFileSync(path.join(cwd, "deckhand.config.json"), JSON.stringify(settings)),
    /** What models have been sent, by their names. */
    spent: async () => {
      const store = await openFileStore(path.join(cwd, "data/deckhand.db"));
      const sums = await store.usage.sumsBy("model", { since: 0 });
      await store.close();
      return sums;
    },
    cli: (...args: string[]) => runCli(["memory", ...args], given),
    file: (name: string, lines: readonly unknown[]): string => {
      const place = path.join(cwd, name);
      writeFileSync(place, lines.map((line) => (typeof line === "string" ? line : JSON.stringify(line))).join("\n"));
      return place;
    },
  };
}

test("imported memories are found in their scope, and exported as they were imported", async () => {
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

test("of several lines with one id the last is kept, within one import and across imports", async () => {
  const { cli, file } = home();
  const line = (text: string) => ({ id: "a", text, scope: CHANNEL });
  await cli("import", file("notes.jsonl", [line("The heron is grey"), line("The heron is white")]));
  expect(await cli("export").then(({ out }) => out.split("\n"))).toHaveLength(1);
  await cli("import", file("later.jsonl", [line("The heron is blue")]));
  expect((await cli("search", "heron grey white", "--scope", CHANNEL, "--json")).out).toContain("is blue");
  expect((await cli("stats")).out).toBe("1 memory · 1 semantic");
});

test("a batch search prints one result line per input line, in order", async () => {
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

const EMBEDDINGS = { memory: { embeddings: { model: "openai/small" } } };

test("with embeddings, imported memories are found by paraphrases, also in a batch", async () => {
  await using server = await startEmbeddings();
  const { cli, file, settings, doctor, spent } = home({ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: server.url });
  settings(EMBEDDINGS);
  const told = { id: "a", text: "Our supplier raised its fee", scope: CHANNEL };
  expect((await cli("import", file("notes.jsonl", [told, { ...told, id: "b", text: "It rains" }]))).out).toContain(
    "✓ 2 memories have vectors",
  );
  const searched = await cli("search", "vendor", "price", "--scope", CHANNEL, "--json", "--limit", "1");
  expect(JSON.parse(searched.out)).toMatchObject({ id: "a" });
  const questions = [
    { id: 1, query: "vendor price", scope: CHANNEL },
    "nonsense",
    { id: 2, query: "rain", scope: CHANNEL },
  ];
  const batch = await cli("search", "--batch", file("questions.jsonl", questions), "--limit", "1");
  expect(batch.out.split("\n").map((line): unknown => JSON.parse(line))).toMatchObject([
    { id: 1, results: [{ id: "a" }] },
    { id: null, results: [] },
    { id: 2, results: [{ id: "b" }] },
  ]);
  expect(server.batches.at(-1)).toEqual(["vendor price", "rain"]);
  const tokens = server.batches.flat().reduce((sum, text) => sum + tokensOf(text), 0);
  expect(await spent()).toMatchObject([{ key: "openai/small", tokens }]);
  expect((await doctor()).out).toContain("✓ memory: openai/small produces vectors of 128 dimensions");
});

test("if the embeddings provider fails, this is reported, search by words works, and a later import adds the vectors", async () => {
  await using server = await startEmbeddings();
  const { cli, file, settings, doctor } = home({ OPENAI_API_KEY: "sk-test", OPENAI_BASE_URL: server.url });
  settings(EMBEDDINGS);
  server.set({ status: 401 });
  const lines = file("notes.jsonl", [{ id: "a", text: "Our supplier raised its fee", scope: CHANNEL }]);
  expect((await cli("import", lines)).out).toMatch(/✓ 1 memory imported[^]*⚠ 1 memory waits for its vector: .*key/u);
  const searched = await cli("search", "supplier", "--scope", CHANNEL);
  expect(searched.out).toContain("Our supplier raised its fee");
  expect((await doctor()).out).toMatch(/✗ memory\.embeddings: openai\/small: .*key/u);
  server.set("well");
  expect((await cli("import", file("none.jsonl", []))).out).toContain("✓ 1 memory has a vector");
});

test("without an API key, or for a provider without embeddings, embeddings are off and reported as such", async () => {
  const { cli, file, settings } = home();
  settings(EMBEDDINGS);
  const imported = await cli("import", file("notes.jsonl", [{ text: "The heron is up", scope: CHANNEL }]));
  expect(imported.error).toMatch(/memory\.embeddings: .*OPENAI_API_KEY/u);
  expect((await cli("search", "heron", "--scope", CHANNEL)).out).toContain("The heron is up");
  settings({ memory: { embeddings: { model: "anthropic/claude" } } });
  expect((await cli("stats")).error).toContain("names a provider that has no embeddings");
});

test.each([
  [["import", "/nowhere/notes.jsonl"], /✗ \/nowhere\/notes\.jsonl cannot be read \(ENOENT\)/u],
  [["search", "deploy", "--scope", "C1"], /It must look like person:slack:U1/u],
  [["search", "deploy"], /Give a query and --scope/u],
])("the arguments %j are refused with an explanation", async (args, says) => {
  const { error, failed } = await home().cli(...args);
  expect(error).toMatch(says);
  expect(failed).toBe(true);
});
