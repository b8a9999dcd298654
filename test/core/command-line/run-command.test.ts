import { expect, test } from "vitest";
import { nearest } from "../../../src/core/command-line/nearest.ts";
import { typedCommand } from "../../../src/core/command-line/run-command.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { createIntake } from "../../../src/core/inbound/intake.ts";
import { fitMessage, privateMessage } from "../../../src/core/platform/replies.ts";
import { intakeOptions, mention, privateText } from "../inbound/intake-fixture.ts";

test.each([
  ["/stop", { name: "stop", line: "" }],
  ["  /Stop  now ", { name: "stop", line: "now" }],
  ["/agent plan\nwrite x", { name: "agent", line: "plan\nwrite x" }],
  ["/frobnicate", { name: "frobnicate", line: "" }],
  ["/statsu please", { name: "statsu", line: "please" }],
  ["/etc/hosts is broken", null],
  ["/tmp is full", null],
  ["/dev is a mess", null],
  ["/etc/hosts", null],
  ["/", null],
  ["// a comment", null],
  ["stop", null],
  ["look at /stop", null],
])("%j is a command: %j", (text, expected) => {
  expect(typedCommand(text, CHAT_COMMANDS)).toEqual(expected);
});

const NAMES = ["help", "status", "stop", "agent", "model", "mode", "new", "skill", "jobs"];

test.each([
  ["hlep", ["help"]],
  ["skil", ["skill"]],
  ["statsu", ["status"]],
  ["stat", ["status"]],
  ["mod", ["mode", "model"]],
  ["modle", ["model", "mode"]],
  ["AGENT", ["agent"]],
  ["dev", []],
  ["frobnicate", []],
  ["", []],
])("the suggestion for %j is %j", (name, near) => {
  expect(nearest(name, NAMES)).toEqual(near);
});

test("every command can be registered on each platform", () => {
  const names = CHAT_COMMANDS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name, description, usage = "-" } of CHAT_COMMANDS) {
    expect(name).toMatch(/^[a-z][a-z-]{0,31}$/);
    for (const text of [description, usage]) expect(text.length).toBeLessThanOrEqual(100);
  }
});

test("--help of each command shows its usage and runs nothing", async () => {
  const { options } = await intakeOptions();
  const receive = createIntake(options);
  for (const { name, usage, description } of CHAT_COMMANDS) {
    const typed = usage === undefined ? `/${name}` : `/${name} ${usage}`;
    const help = privateText(await receive(mention(`/${name} --help`)));
    expect(help.split("\n")[0]).toBe(`\`${typed}\` · ${description}`);
    expect(privateText(await receive(mention(`/help /${name}`)))).toBe(help);
  }
  expect(privateText(await receive(mention("/mode —help")))).toBe(
    [
      "`/mode [read|write|agi|default]` · show or set what I may do in this thread",
      "- `mode` · read: only look; write: ask first; agi: rarely ask (read, write, agi, default)",
      "Only for people who work with me in the thread.",
    ].join("\n"),
  );
  expect(privateText(await receive(mention("/jobs run --help")))).toMatch(
    /^`\/jobs run` · .*\n- `--job` · .*\(required\)/,
  );
  expect(privateText(await receive(mention("/help statsu")))).toBe("I don't know `/statsu`. Did you mean `/status`?");
  const help = privateText(await receive(mention("/help")));
  expect(help.length).toBeLessThan(1_850);
  expect(help).toContain("(as a slash command `/deckhand-status`)");
});

test("help does not ask for a mention where none is needed", async () => {
  const { options } = await intakeOptions();
  const receive = createIntake(options);
  const direct = { channel: { id: "D1", name: "ana", kind: "dm" }, addressed: "dm" } as const;
  for (const typed of ["/help", "/status"]) {
    expect(privateText(await receive(mention(typed)))).toMatch(/mention/iu);
    expect(privateText(await receive(mention(typed, direct)))).not.toMatch(/mention/iu);
  }
});

test("an answer that is too long for a message is cut at a line with its table closed, and attached in full", () => {
  const rows = Array.from({ length: 60 }, (_, index) => `row ${index} ${"x".repeat(30)}`);
  const answer = fitMessage(privateMessage(["Sixty rows:", "```", ...rows, "```"].join("\n")), 1_000);
  const lines = answer.markdown.split("\n");
  expect(answer.markdown.length).toBeLessThanOrEqual(1_000);
  expect(lines.slice(-2)).toEqual(["```", "… The full text is in the file."]);
  expect(rows).toContain(lines.at(-3));
  expect(answer.files.map(({ name }) => name)).toEqual(["answer.md"]);
  expect(new TextDecoder().decode(answer.files[0]?.data)).toContain("row 59");
  expect(fitMessage(privateMessage("short"), 1_000)).toEqual(privateMessage("short"));
});

test.each([
  ["/agent ", "I don't know the agent"],
  ["/mode ", "I don't know the mode"],
  ["/model ", "I don't know the model"],
  ["/skill ", "I don't know the skill"],
  ["/jobs ", "I don't know"],
  ["/jobs add ", "I don't know what to do with"],
  ["/undo ", "I don't know"],
  ["/approvals ", "I don't know"],
  ["/jobs --", "I don't know"],
])("%s with a flood of hostile text is answered on one short, escaped line", async (typed, answer) => {
  const { options } = await intakeOptions();
  const receive = createIntake(options);
  await receive(mention("begin"));
  const text = privateText(await receive(mention(`${typed}a\`*b*${"x".repeat(30_000)}`)));
  expect(text).toContain(answer);
  expect(text).toContain("a`*b*xxx");
  expect(text).toMatch(/`` [^\n]*x… ``/u);
  expect(text.length).toBeLessThan(1_000);
});
