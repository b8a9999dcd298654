import { expect, test } from "vitest";
import { pageCommands } from "../../../../src/adapters/render/local/commands.ts";
import { completed, typedArgument } from "../../../../src/adapters/render/local/completing.ts";
import {
  isTyped,
  suggestionsFor as suggested,
  wantsCompletions,
} from "../../../../src/adapters/web/page/composer/completion.ts";
import { CHAT_COMMANDS } from "../../../../src/core/commands/registry.ts";

const commands = pageCommands(CHAT_COMMANDS);
const suggestionsFor = (text: string, all: typeof commands) => suggested(text, all, null);

test("a slash alone lists every command with its arguments and what it does", () => {
  const listed = suggestionsFor("/", commands);
  expect(listed.map(({ label }) => label)).toEqual(CHAT_COMMANDS.map(({ name }) => `/${name}`));
  expect(listed.find(({ label }) => label === "/mode")).toMatchObject({
    usage: "[read|write|agi|default]",
  });
  expect(listed.every(({ description }) => description !== "")).toBe(true);
});

test.each([
  { text: "/mo", texts: ["/model ", "/mode "] },
  { text: "/MO", texts: ["/model ", "/mode "] },
  { text: "/top", texts: ["/stop"] },
  { text: "/mode w", texts: ["/mode write"] },
  { text: "/jobs re", texts: ["/jobs remove"] },
  { text: "/xyzzy", texts: [] },
  { text: "/status now", texts: [] },
  { text: "see /st", texts: [] },
  { text: "/usr/bin", texts: [] },
  { text: "", texts: [] },
])("“$text” is completed to $texts", ({ text, texts }) => {
  expect(suggestionsFor(text, commands).map((suggestion) => suggestion.text)).toEqual(texts);
});

test("what is typed to its end is sent rather than completed", () => {
  const [stop] = suggestionsFor("/stop", commands);
  expect(stop !== undefined && isTyped("/stop", stop)).toBe(true);
  expect(stop !== undefined && isTyped("/sto", stop)).toBe(false);
});

test.each([
  { text: "/skill ", at: { command: "skill", option: ["name"], typed: "", before: "/skill " } },
  { text: "/skill co", at: { command: "skill", option: ["name"], typed: "co", before: "/skill " } },
  {
    text: "/jobs run Daily re",
    at: { command: "jobs", option: ["run", "job"], typed: "Daily re", before: "/jobs run " },
  },
  {
    text: '/jobs add --cron "0 9 * * *" --skill co',
    at: { command: "jobs", option: ["add", "skill"], typed: "co", before: '/jobs add --cron "0 9 * * *" --skill ' },
  },
  { text: "/jobs add --prompt co", at: null },
  { text: "/jobs run Daily --skill", at: null },
  { text: "/jobs ru", at: null },
  { text: "/jobs list x", at: null },
  { text: "/skill code-review src", at: null },
  { text: "/xyzzy co", at: null },
  { text: "/skill", at: null },
  { text: "@", at: { command: "agent", option: ["name"], typed: "", before: "@" } },
  { text: "@Re", at: { command: "agent", option: ["name"], typed: "Re", before: "@" } },
  { text: "@plan write", at: null },
  { text: "see @plan", at: null },
  { text: "me@plan", at: null },
])("in “$text” the argument that is typed is found", ({ text, at }) => {
  expect(typedArgument(text, CHAT_COMMANDS)).toEqual(at);
});

test("the server is asked for what the page does not know, and its answer to older letters is not shown", () => {
  expect(
    ["/skill co", "/jobs run ", "@", "@re", "/mode wr", "/jobs r", "/ski", "skill co", "@re x", "a @re"].filter(
      (text) => wantsCompletions(text, commands),
    ),
  ).toEqual(["/skill co", "/jobs run ", "@", "@re"]);
  const words = [{ text: "/skill code-review ", label: "code-review · Reviews · and more" }];
  const completions = { type: "completions", text: "/skill co", words } as const;
  expect(suggested("/skill co", commands, completions)).toEqual([
    { text: "/skill code-review ", label: "code-review", usage: "", description: "Reviews · and more" },
  ]);
  expect(suggested("/skill cod", commands, completions)).toEqual([]);
});

test("behind an @ an agent is found by its name, not by what it is for", () => {
  const words = [
    { value: "reviewer", label: "reviewer · Reads what was written" },
    { value: "designer", label: "designer · Reviews looks" },
  ];
  const at = { command: "agent", option: ["name"], typed: "Rev", before: "@" };
  expect(completed(at, words)).toEqual([{ text: "@reviewer ", label: "@reviewer · Reads what was written" }]);
  const suggestions = suggested("@Rev", commands, { type: "completions", text: "@Rev", words: completed(at, words) });
  expect(suggestions).toEqual([
    { text: "@reviewer ", label: "@reviewer", usage: "", description: "Reads what was written" },
  ]);
});
