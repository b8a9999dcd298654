import { expect, test } from "vitest";
import { pageCommands } from "../../../src/adapters/web/overview.ts";
import { isTyped, suggestionsFor } from "../../../src/adapters/web/page/completion.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";

const commands = pageCommands(CHAT_COMMANDS);

test("a slash alone lists every command with its arguments and what it does", () => {
  const listed = suggestionsFor("/", commands);
  expect(listed.map(({ label }) => label)).toEqual(CHAT_COMMANDS.map(({ name }) => `/${name}`));
  expect(listed.find(({ label }) => label === "/usage")).toMatchObject({
    usage: "[user|channel|model|job|day] [days]",
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
