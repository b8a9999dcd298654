import { expect, test } from "vitest";
import type { McpOptions } from "../../../src/features/mcp/connections.ts";
import { fieldsOf } from "../../../src/features/mcp/elicitation/fields.ts";
import { readReply } from "../../../src/features/mcp/elicitation/reply.ts";
import { connect, context, everything, hostile, textIn, useConnected } from "./connected.ts";

type Asked = Parameters<McpOptions["ask"]>[0];

/** People who give these answers in order, and none afterwards. */
function people(...answers: readonly (string | { readonly button: string })[]) {
  const asked: Asked[] = [];
  const ask: McpOptions["ask"] = async (question) => {
    const answer = answers[asked.push(question) - 1];
    if (answer === undefined) return null;
    if (typeof answer === "string") return { choice: null, text: answer };
    return { choice: question.options.indexOf(answer.button), text: answer.button };
  };
  answering = ask;
  return asked;
}

let answering: McpOptions["ask"] = () => Promise.resolve(null);
const connected = useConnected(async () => ({ all: everything() }), { ask: (...given) => answering(...given) });

const TOOL = "mcp__all__trigger-elicitation-request";

const FILLED = [
  "name: Ana Marinho",
  "Boolean: yes",
  "- Integer = 7",
  "birthdate: 2001-02-03",
  "untitledMultipleSelectEnum: drums, Bass",
  "titledSingleSelectEnum: Batman",
];

test("a form is shown in the thread, and the values in a reply are accepted", async () => {
  const asked = people(FILLED.slice(0, 5).join("\n"));
  const { call } = connected();
  const text = textIn(await call(TOOL));
  expect(asked[0]?.question).toContain("The MCP server all asks: Please provide inputs for the following fields:");
  expect(asked[0]?.question).toMatch(/^- Integer: .*a whole number from 1 to 100 · 42 unless you say otherwise$/mu);
  expect(asked[0]?.options).toEqual(["Decline", "Cancel"]);
  expect(text).toContain("User provided the requested information");
  expect(text).toContain("Name: Ana Marinho");
  expect(text).toContain('"integer": 7');
  expect(text).toContain('"check": true');
  expect(text).toMatch(/"untitledMultipleSelectEnum": \[\s*"Drums",\s*"Bass"\s*\]/u);
});

const outcomes = [
  { button: "Decline", says: "User declined" },
  { button: "Cancel", says: "User cancelled" },
];

test.each(outcomes)("the server is told of $button", async ({ button, says }) => {
  people({ button });
  const { call } = connected();
  expect(textIn(await call(TOOL))).toContain(says);
});

test("a reply that does not fit is asked for again with the problem, and given up after three attempts", async () => {
  const asked = people(FILLED.join("\n"), "Integer: 700", "nothing that fits\nat all");
  const { call } = connected();
  expect(textIn(await call(TOOL))).toContain("User cancelled");
  expect(asked.map(({ question }) => question.split("\n")[0])).toEqual([
    expect.stringContaining("The MCP server all asks"),
    "That doesn't fit: Titled Single Select Enum must be one of Superman, Green Lantern, Wonder Woman.",
    "That doesn't fit: String is missing. Integer must be at most 100.",
  ]);
});

test("people are asked at most ten times per call, however often a server asks", async () => {
  let asked = 0;
  const ask: McpOptions["ask"] = async () => {
    asked += 1;
    return null;
  };
  const { call } = await connect({ bad: hostile() }, { ask });
  expect(textIn(await call("mcp__bad__nag"))).toBe("100 answers");
  expect(asked).toBe(10);
});

test("if nobody can answer, the server is told that the form was cancelled", async () => {
  const asked = people("name: Ana");
  const { tool } = connected();
  const result = await tool(TOOL).execute({}, context({ nonInteractive: true }), new AbortController().signal);
  expect(textIn(result)).toContain("User cancelled");
  expect(asked).toEqual([]);
});

test("time that people take does not count towards the server's time limit", async () => {
  const answered = Promise.withResolvers<null>();
  const asked = Promise.withResolvers<void>();
  const ask: McpOptions["ask"] = () => {
    asked.resolve();
    return answered.promise;
  };
  const { call } = await connect({ all: everything({ timeoutMs: 400 }) }, { ask });
  const running = call(TOOL);
  await asked.promise;
  // Longer than the call's time limit.
  await new Promise((resolve) => setTimeout(resolve, 900));
  answered.resolve(null);
  expect(textIn(await running)).toContain("User cancelled");
});

const PLAIN = { type: "object" as const, properties: {} };

test.each([
  { words: "yes", property: { type: "boolean" }, value: true },
  { words: "12", property: { type: "integer" }, value: 12 },
  { words: "1.5", property: { type: "integer" }, value: null },
  { words: "", property: { type: "number" }, value: null },
  { words: "ana@example.com", property: { type: "string", format: "email" }, value: "ana@example.com" },
  { words: "ana", property: { type: "string", format: "email" }, value: null },
  { words: "green", property: { type: "string", enum: ["r", "g"], enumNames: ["Red", "Green"] }, value: "g" },
  { words: "two\nlines", property: { type: "string" }, value: "two\nlines" },
  { words: "f: named", property: { type: "string" }, value: "named" },
  { words: "f: named,\non two lines", property: { type: "string" }, value: "named,\non two lines" },
])("a form with one field reads $words as $value", ({ words, property, value }) => {
  const requestedSchema = JSON.parse(JSON.stringify({ ...PLAIN, properties: { f: property }, required: ["f"] }));
  const fields = fieldsOf({ message: "?", requestedSchema }) ?? [];
  const filled = readReply(fields, words);
  expect(filled.type === "filled" ? filled.content["f"] : null).toBe(value);
});
