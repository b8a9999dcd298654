import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import BetterSqlite3 from "better-sqlite3";
import { expect, test } from "vitest";
import { text, toolUse } from "../../support/model/model-script.ts";
import type { RecordedRequest, Script } from "../../support/model/model-server.ts";
import { until, untilIdle } from "../../support/program/bot.ts";
import { useSlackOffice } from "../../support/talk/shared-office.ts";
import { conversationOf, type SlackOffice, type Talk } from "../../support/talk/slack-talk.ts";
import { answers, isPart, part, results } from "../../support/talk/sub-agent-talk.ts";

const ISOLATED = { enabled: true, maxConcurrentExecutors: 2, executorIsolation: true };
const isExecutor = (request: RecordedRequest) => isPart(request, "A");

/** One executor runs a command, then its work is merged. */
function managing(command: string): Script {
  return (request) => {
    if (isExecutor(request))
      return request.toolResults.length === 0 ? toolUse("bash", { command }) : text("A is done.");
    if (request.toolResults.length === 0) return part("A");
    const id = /agt_\w+/u.exec(results(request))?.[0] ?? /agt_\w+/u.exec(conversationOf(request.body))?.[0] ?? "";
    return results(request).includes("In its copy")
      ? toolUse("merge_work", { agent_id: id })
      : text(`Merged: ${results(request)}`);
  };
}

const playing = useSlackOffice({ settings: { mode: "agi", managedAgents: ISOLATED } });

/** In a channel of its own with these files. */
function office(files: Readonly<Record<string, string>>, script: Script) {
  const at = playing(script);
  const channel = at.channel();
  const root = at.bot.sandboxRoot(`slack-${channel}`);
  mkdirSync(root, { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(path.join(root, name), content);
  return { at, root, channel, copies: path.join(at.bot.home, "data/executors") };
}

const soon = (what: string, condition: () => boolean) => until(condition, { what: () => what });

async function expectOneAnswer(at: SlackOffice, talk: Talk): Promise<string> {
  await at.until("the answer", () => answers(talk).length > 0);
  await untilIdle(at.bot);
  expect(answers(talk)).toHaveLength(1);
  expect(at.model.requests.filter(isExecutor).length).toBeGreaterThanOrEqual(2);
  expect(at.model.violations).toEqual([]);
  return answers(talk)[0] ?? "";
}

// The first one: it looks at all copies.
test("killed while a copy is made, the executor gets a whole one, and nothing of the other is left", async () => {
  const names = Array.from({ length: 1_500 }, (_, index) => `file-${index}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, `${name}\n`]));
  const opened = office(files, managing("ls | wc -l > count.txt"));
  const { at } = opened;
  const talk = at.talk({ text: "count them", channel: opened.channel });
  await soon(
    "a copy that is being made",
    () => existsSync(opened.copies) && readdirSync(opened.copies).some((name) => name.endsWith(".making")),
  );
  await at.bot.kill("SIGKILL");
  expect(readdirSync(opened.copies)).toEqual([expect.stringMatching(/\.making$/u)]);
  await at.bot.start();
  expect(await expectOneAnswer(at, talk)).toContain("merged: count.txt");
  expect(readFileSync(path.join(opened.root, "count.txt"), "utf8").trim()).toMatch(/^150[01]$/u);
  expect(readdirSync(opened.copies)).toEqual([expect.stringMatching(/^agt_\w+$/u)]);
});

test("killed while its work is merged, all of it is merged in the end, and the answer comes once", async () => {
  const opened = office(
    { "a.txt": "a\n" },
    managing("for i in $(seq 400); do echo $i > new-$i.txt; done; echo b > a.txt"),
  );
  const { at } = opened;
  const talk = at.talk({ text: "make them", channel: opened.channel });
  const there = () => readdirSync(opened.root).filter((name) => name.startsWith("new-")).length;
  await soon("the first files", () => there() > 0);
  await at.bot.kill("SIGKILL");
  const before = there();
  await at.bot.start();
  await expectOneAnswer(at, talk);
  expect(before).toBeLessThan(400);
  expect(there()).toBe(400);
  expect(readFileSync(path.join(opened.root, "a.txt"), "utf8")).toBe("b\n");
  // What a killed write has left goes with a later one.
  expect(readdirSync(opened.root).filter((name) => !name.endsWith(".tmp"))).toHaveLength(401);

  talk.mention("/undo");
  await soon("the new files to go", () => there() === 0);
  await soon("the old one", () => readFileSync(path.join(opened.root, "a.txt"), "utf8") === "a\n");
});

test("killed while its work is merged, and stopped meanwhile, what was merged is told and taken back", async () => {
  const opened = office({}, managing("for i in $(seq 400); do echo $i > new-$i.txt; done"));
  const { at } = opened;
  const talk = at.talk({ text: "make them", channel: opened.channel });
  const there = () => readdirSync(opened.root).filter((name) => name.startsWith("new-")).length;
  await soon("the first files", () => there() > 0);
  await at.bot.kill("SIGKILL");
  const database = new BetterSqlite3(path.join(at.bot.home, "data/deckhand.db"));
  database.prepare("UPDATE Run SET cancelledBy = '@ana' WHERE status <> 'ended'").run();
  database.close();
  const before = there();
  await at.bot.start();
  await untilIdle(at.bot);
  expect(before).toBeLessThan(400);
  expect(there()).toBe(before);
  talk.mention("/undo");
  await soon("the new files to go", () => there() === 0);
});
