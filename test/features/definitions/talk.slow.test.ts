import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Browser, Page } from "playwright-core";
import { expect, test } from "vitest";
import { z } from "zod";
import { type Gate, hold, type Reply, text, toolUse } from "../../support/model/model-script.ts";
import { untilIdle } from "../../support/program/bot.ts";
import { closeWindows, sharedBrowser } from "../../support/program/browser.ts";
import { useShared } from "../../support/run/use-shared.ts";
import { inDatabase, typed } from "../../support/talk/memory-talk.ts";
import type { SlackOffice } from "../../support/talk/slack-talk.ts";
import { addAccount, consoleOffice, leave, signedIn } from "../console/console-world.ts";
import { ask, toldOn } from "./definitions-world.ts";

/** What is set on the page, in threads: the next run has it, and a process after a crash. */

let browser: Browser;
let at: SlackOffice;
let ana: Page;
let holding: Gate | null = null;

useShared(
  async () => {
    browser = await sharedBrowser();
    at = await consoleOffice({ channels: { "slack:C1900": { agentDefinition: "plan" } } });
    at.model.script((request): Reply => {
      const asked = request.lastUserText;
      if (asked.includes("take your time") && request.toolResults.length === 0 && holding !== null)
        return [holding.part, toolUse("glob", { pattern: "*" })];
      return asked.includes("use the review") && request.toolResults.length === 0
        ? toolUse("skill", { skill: "code-review" })
        : text("Done.");
    });
    await addAccount(at, { name: "ana", role: "admin" });
    await addAccount(at, { name: "vera", role: "viewer" });
    await addAccount(at, { name: "olaf", role: "operator" });
    ana = await signedIn(at, browser, { name: "ana" });
  },
  async () => {
    await closeWindows(browser);
    await at[Symbol.asyncDispose]();
  },
);

const audit = () =>
  inDatabase(at, (database) =>
    database.prepare("SELECT by, act, about, details FROM AuditEntry WHERE act LIKE '%.changed' ORDER BY at, id").all(),
  );

const SKILL = "---\ndescription: Looks for herons in a change.\n---\nCount the herons first.";
const AGENT = "---\ndescription: Writes minutes.\naccess: read-only\n---\nYou write minutes like a heron.";

async function said(words: string): Promise<string> {
  const talk = at.talk({ text: words, channel: at.channel() });
  await talk.answered(1);
  return toldOn(at, words);
}

test("an edited skill is used by the next run, and the shipped one again after restoring it", async () => {
  expect(await said("before anything")).toContain("- code-review: ");
  const saved = await ask(ana, "/save", { kind: "skill", name: "code-review", text: SKILL, after: 0 });
  expect(saved).toEqual({ status: 200, body: { type: "saved", number: 1 } });

  const told = await said("use the review");
  expect(told).toContain("- code-review: Looks for herons in a change.");
  expect(told).toContain("Count the herons first.");
  expect(await typed(at, "", { channel: at.channel(), name: "skill" })).toContain("Looks for herons");

  const back = await ask(ana, "/take-back", { kind: "skill", name: "code-review", after: 1 });
  expect(back.body).toEqual({ type: "saved", number: 2 });
  expect(audit().slice(-2)).toEqual([
    { by: "ana", act: "skill.changed", about: "code-review", details: "revision 1" },
    { by: "ana", act: "skill.changed", about: "code-review", details: "revision 2: removed" },
  ]);
  expect(await said("after all that")).not.toContain("heron");
});

test("an agent created on the page is offered for /agent and to agents until it is removed", async () => {
  const made = await ask(ana, "/save", { kind: "agent", name: "scribe", text: AGENT, after: 0, isNew: true });
  expect(made.body).toEqual({ type: "saved", number: 1 });
  expect(audit()).toContainEqual({ by: "ana", act: "agent.changed", about: "scribe", details: "revision 1" });
  expect(await typed(at, "", { channel: at.channel(), name: "agent" })).toContain("scribe");
  expect(await said("as usual")).toContain("- scribe: Writes minutes.");

  at.talk({ text: "@scribe take notes", channel: at.channel() });
  await at.until("the request", () => at.requestsAbout("take notes").length > 0);
  const told = toldOn(at, "take notes");
  expect(told).toContain("You write minutes like a heron.");
  expect(told).not.toContain('"name":"bash"');

  expect((await ask(ana, "/take-back", { kind: "agent", name: "scribe", after: 1 })).body).toMatchObject({
    type: "saved",
  });
  expect(await said("as ever")).not.toContain("- scribe");
});

test("instructions for all channels and for one are in the prompt, the channel's own last", async () => {
  const here = at.channel();
  mkdirSync(at.bot.sandboxRoot(`slack-${here}`), { recursive: true });
  writeFileSync(path.join(at.bot.sandboxRoot(`slack-${here}`), "AGENTS.md"), "Words of the directory.");
  const save = (name: string, words: string) =>
    ask(ana, "/save", { kind: "instructions", name, text: words, after: 0 });
  expect((await save("", "Words for everybody.")).status).toBe(200);
  expect(audit().at(-1)).toMatchObject({ act: "instructions.changed", about: "all channels", details: "revision 1" });
  expect((await save(`slack:${here}`, "Words for this channel.")).status).toBe(200);

  at.talk({ text: "what holds here?", channel: here });
  await at.until("the request", () => at.requestsAbout("what holds here?").length > 0);
  const told = toldOn(at, "what holds here?");
  const places = ["Words for everybody.", "Words of the directory.", "Words for this channel."].map((words) =>
    told.indexOf(words),
  );
  expect(places.every((place) => place > 0)).toBe(true);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(await said("what holds elsewhere?")).not.toContain("Words for this channel.");

  const shown = await ask(ana, `/told?channel=slack:${here}`);
  expect(shown.body).toMatchObject({ text: "Words for this channel.", number: 1, isSet: true });
  expect(shown.body["files"]).toMatchObject([
    { text: "Words for everybody.", isFollowed: true },
    { source: "AGENTS.md", text: "Words of the directory.", isFollowed: true, bytes: 23 },
    { text: "Words for this channel." },
  ]);
  const nowhere = await ask(ana, "/told?channel=slack:C1777");
  expect(nowhere.body).toMatchObject({ sandboxRoot: null, files: [{ text: "Words for everybody." }] });
  expect(existsSync(at.bot.sandboxRoot("slack-C1777"))).toBe(false);
});

test("for people who may not edit a text the program's keys in it are masked", async () => {
  const words = `Never say ${at.slack.botToken}.`;
  await ask(ana, "/save", { kind: "skill", name: "keys", text: `---\ndescription: x\n---\n${words}`, after: 0 });
  expect((await ask(ana, "/one?kind=skill&name=keys")).body["text"]).toContain(words);
  const page = await signedIn(at, browser, { name: "vera" });
  for (const path of ["/one?kind=skill&name=keys", "/revision?kind=skill&name=keys&number=1"]) {
    const { text: shown } = (await ask(page, path)).body;
    expect(shown).toContain("Never say");
    expect(shown).not.toContain(at.slack.botToken);
  }
  await leave(page);
});

test("a run keeps the definitions that it started with, and the next one uses those saved meanwhile", async () => {
  const gate = hold();
  holding = gate;
  const talk = at.talk({ text: "take your time", channel: at.channel() });
  await gate.reached;
  for (const [kind, name, words] of [
    ["agent", "build", "---\ndescription: Builds herons.\n---\nYou build herons."],
    ["agent", "late", AGENT],
    ["skill", "late", SKILL],
  ] as const)
    expect((await ask(ana, "/save", { kind, name, text: words, after: 0 })).status).toBe(200);
  gate.release();
  await talk.answered(1);
  const of = z.object({ system: z.unknown(), tools: z.unknown() });
  const requests = at.requestsAbout("take your time").map(({ body }) => of.parse(body));
  expect(requests).toHaveLength(2);
  expect(requests[1]).toEqual(requests[0]);
  const next = await said("and now?");
  for (const words of ["You build herons.", "- late: Writes minutes.", "- late: Looks for herons"])
    expect(next).toContain(words);
  await ask(ana, "/take-back", { kind: "agent", name: "build", after: 1 });
});

test("saved definitions survive kill -9 at once, also an agent that the settings assign to a channel", async () => {
  await ask(ana, "/save", { kind: "agent", name: "deckhand-only", text: AGENT, after: 0, isNew: true });
  await ask(ana, "/save", { kind: "skill", name: "fresh", text: SKILL, after: 0, isNew: true });
  await untilIdle(at.bot);
  await at.bot.kill("SIGKILL");
  const settings = { channels: { "slack:C1999": { agentDefinition: "deckhand-only" } } };
  writeFileSync(path.join(at.bot.home, "deckhand.config.json"), JSON.stringify(settings));
  await at.bot.start();
  const talk = at.talk({ text: "who are you?", channel: "C1999" });
  await talk.answered(1);
  const told = toldOn(at, "who are you?");
  expect(told).toContain("You write minutes like a heron.");
  expect(told).toContain("- fresh: Looks for herons in a change.");
  // Without it the channel would have nobody to answer.
  const needed = await ask(ana, "/take-back", { kind: "agent", name: "deckhand-only", after: 1 });
  expect(needed.body).toEqual({ type: "refused", why: expect.stringContaining("slack:C1999") });
});

test("the second of two admins who save concurrently gets a conflict; definitions from files are locked", async () => {
  const save = (words: string, after: number) =>
    ask(ana, "/save", { kind: "skill", name: "refactor", text: `---\ndescription: ${words}\n---\n${words}`, after });
  expect((await save("first", 0)).body).toEqual({ type: "saved", number: 1 });
  expect((await save("second", 0)).body).toMatchObject({
    type: "conflict",
    newest: { number: 1, content: "---\ndescription: first\n---\nfirst", by: "ana" },
  });
  expect((await save("second", 1)).body).toEqual({ type: "saved", number: 2 });
  const rows = await ask(ana, "/history?kind=skill&name=refactor");
  expect(rows.body["rows"]).toMatchObject([
    { number: 2, by: "ana" },
    { number: 1, by: "ana" },
  ]);
  expect((await ask(ana, "/revision?kind=skill&name=refactor&number=1")).body).toEqual({
    text: "---\ndescription: first\n---\nfirst",
  });

  mkdirSync(path.join(at.bot.home, "data/extensions/skills/refactor"), { recursive: true });
  const file = path.join(at.bot.home, "data/extensions/skills/refactor/SKILL.md");
  writeFileSync(file, "---\ndescription: the operator's\n---\nAs the file says.");
  expect((await ask(ana, "/one?kind=skill&name=refactor")).body).toMatchObject({ from: "file", place: file });
  expect((await save("third", 2)).body).toEqual({ type: "refused", why: expect.stringContaining(file) });
});

test.each(["vera", "olaf"])(
  "%s can read definitions, and every change by hand-made requests is refused",
  async (name) => {
    const before = audit();
    const page = await signedIn(at, browser, { name });
    expect((await ask(page, "/list?kind=skill")).body).toMatchObject({ mayEdit: false });
    expect((await ask(page, "/one?kind=agent&name=build")).status).toBe(200);
    // A channel that they do not see is not there.
    expect((await ask(page, "/told?channel=slack:C1999")).status).toBe(404);
    expect((await ask(page, "/history?kind=instructions&name=slack:C1999")).status).toBe(404);
    const body = { kind: "skill", name: "mine", text: SKILL, after: 0, isNew: true };
    for (const path of ["/save", "/take-back", "/check"]) expect((await ask(page, path, body)).status).toBe(403);
    expect(audit()).toEqual(before);
    await leave(page);
  },
);

test.each([
  ["a name that leads elsewhere", { kind: "skill", name: "../x", text: SKILL }, "refused"],
  ["a channel of no platform", { kind: "instructions", name: "irc:C1", text: "x" }, "refused"],
  ["a name that there is", { kind: "agent", name: "build", text: AGENT, isNew: true }, "refused"],
  [
    "an agent with a key that is none",
    { kind: "agent", name: "odd", text: AGENT.replace("access", "acces") },
    "invalid",
  ],
  [
    "instructions that are too long",
    { kind: "instructions", name: "slack:C1777", text: "x".repeat(32_769) },
    "invalid",
  ],
  ["a text that no database keeps", { kind: "skill", name: "odd", text: `${SKILL}\0` }, "invalid"],
  ["half a character", { kind: "agent", name: "odd", text: `${AGENT}\ud800` }, "invalid"],
  ["a channel that no database keeps", { kind: "instructions", name: "slack:C\0", text: "x" }, "refused"],
  ["a skill that stands for something else", { kind: "skill", name: "off", text: SKILL }, "invalid"],
])("%s is not saved", async (_what, body, type) => {
  const before = audit();
  expect((await ask(ana, "/save", { after: 0, ...body })).body).toMatchObject({ type });
  expect(audit()).toEqual(before);
});
