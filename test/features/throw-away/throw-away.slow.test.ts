import { execFile } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PageClient } from "../../adapters/web/page-client.ts";
import { startAnthropicServer } from "../../support/model/anthropic-server.ts";
import { text, toolUse } from "../../support/model/model-script.ts";
import { createBot } from "../../support/program/bot.ts";
import { printedUrl } from "../../support/program/page-visit.ts";
import { removeDirectory } from "../../support/remove-directory.ts";
import { FOLDER, LIST, MODEL } from "./tally.ts";

const ROOT = path.resolve(import.meta.dirname, "../../..");
const COPIED = [
  "src",
  "prisma",
  "scripts",
  "bin",
  "wasm/build-folder.ts",
  "wasm/guests/files",
  "package.json",
  "test/support/program/start-sources.mjs",
];
const LINKED = ["node_modules", "build", "extensions"];

const run = promisify(execFile);
let project: string;

/** The project with one feature more: its folder, a model, and its place in the list. */
beforeAll(async () => {
  project = mkdtempSync(path.join(tmpdir(), "deckhand-throw-away-"));
  for (const name of COPIED) {
    mkdirSync(path.dirname(path.join(project, name)), { recursive: true });
    cpSync(path.join(ROOT, name), path.join(project, name), { recursive: true });
  }
  for (const name of LINKED) symlinkSync(path.join(ROOT, name), path.join(project, name));
  for (const [file, content] of Object.entries(FOLDER)) {
    mkdirSync(path.dirname(path.join(project, file)), { recursive: true });
    writeFileSync(path.join(project, file), content);
  }
  appendFileSync(path.join(project, "prisma/models.prisma"), MODEL);
  const list = path.join(project, "src/features/features.ts");
  writeFileSync(
    list,
    LIST.reduce((source, [before, after]) => source.replace(before, after), readFileSync(list, "utf8")),
  );
  await run(process.execPath, ["scripts/create-migration.ts", "tally"], { cwd: project });
  await run(process.execPath, ["scripts/build/database-client.ts", "sqlite"], { cwd: project });
});

afterAll(() => removeDirectory(project));

async function start(model: { readonly url: string }, settings: object) {
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: model.url, DECKHAND_MODEL: "anthropic/claude-sonnet-5-5" };
  const bot = await createBot({ env, entry: path.join(project, "test/support/program/start-sources.mjs") });
  writeFileSync(path.join(bot.home, "deckhand.config.json"), JSON.stringify(settings));
  return bot;
}

test("a feature is added by one folder, a model and one list entry; one that fails to open or start, and tools with used names, are reported in one line each", async () => {
  await using model = await startAnthropicServer();
  model.script((_request, index) => (index === 0 ? toolUse("tally_add", { what: "a cup" }) : text("Counted.")));
  await using bot = await start(model, { tally: { unit: "cups" } });
  await bot.start();
  expect(bot.output()).toContain("⚠ The feature empty cannot start: there is nothing to count");
  expect(bot.output()).toContain("⚠ The feature late cannot start: there is nobody to count for");
  const leftOut = (tool: string, owner: string) =>
    `⚠ The tool ${tool} of the feature tally is ignored: ${owner} has a tool with the same name.`;
  expect(bot.output()).toContain(leftOut("read", "Deckhand itself"));
  expect(bot.output()).toContain(leftOut("tally_add", "the feature tally"));
  const page = await PageClient.open(printedUrl(bot));
  await page.hello();
  await page.send("count it");
  await expect.poll(() => model.requests.length).toBe(2);

  expect(JSON.stringify(model.requests[0]?.body)).toContain("Count cups with tally_add.");
  expect(JSON.stringify(model.requests[0]?.body)).toContain("There are 0 cups now.");
  expect(JSON.stringify(model.requests[1]?.body)).toContain("1 cups");
  const counted = async () => {
    const answer = await fetch(`${page.origin}/features/tally/count`, { headers: { cookie: page.cookie } });
    return answer.json();
  };
  // The tool's and, once it has ended, the run's own.
  await expect.poll(counted).toEqual({ counted: 2 });
  page.say({ type: "look", threadId: null, jobId: null });
  expect((await page.next("overview")).panels).toContainEqual({
    title: "Tally",
    lines: [{ line: "**1** cups", nextAt: null }],
  });
  expect((await fetch(`${page.origin}/features/tally/count`)).status).toBe(401);
  expect((await fetch(`${page.origin}/features/tally/none`, { headers: { cookie: page.cookie } })).status).toBe(404);
});

test("invalid settings of a feature are reported in one line, and prevent the start", async () => {
  await using model = await startAnthropicServer();
  await using bot = await start(model, { tally: { units: "cups" } });
  await expect(bot.start()).rejects.toThrow(/tally\.units: is not a known key\. Did you mean "unit"\?/);
});

test("an essential feature that fails to open is reported in one line, and prevents the start", async () => {
  await using model = await startAnthropicServer();
  await using bot = await start(model, { tally: { unit: "essentials" } });
  await expect(bot.start()).rejects.toThrow(/The feature tally cannot start: there is nothing to count/);
});
