import { expect, test } from "vitest";
import { begin, connect, everything } from "./connected.ts";

const servers = async () => (await connect({ all: everything({ title: "My Server", description: "for tests" }) })).mcp;

test("without a name there are the servers, with one its prompts", async () => {
  const mcp = await servers();
  expect(await mcp.command("")).toEqual({
    type: "text",
    text: expect.stringMatching(/^✓ \*\*My Server\*\* · \d+ tools · for tests$/),
  });
  for (const name of ["all", "My Server", "my server"]) {
    const listed = await mcp.command(name);
    expect(listed).toMatchObject({ type: "text", text: expect.stringContaining("`args-prompt <city> [state]`") });
  }
});

const lines = [
  { line: "all simple-prompt", says: "This is a simple prompt without arguments." },
  { line: "My Server args-prompt Paris", says: "What's weather in Paris?" },
  { line: "all args-prompt state=Texas Paris", says: "What's weather in Paris, Texas?" },
  { line: "all args-prompt Paris New York State", says: "What's weather in Paris, New York State?" },
  { line: 'all args-prompt "New York" NY', says: "What's weather in New York, NY?" },
];

test.each(lines)("/mcp $line is a run", async ({ line, says }) => {
  const mcp = await servers();
  expect(await mcp.command(line)).toEqual({ type: "run", words: says });
});

const wrong = [
  { line: "none", says: "There is no MCP server none. `/mcp` lists them." },
  { line: "all none", says: "My Server has no prompt none. `/mcp My Server` lists them." },
  { line: "all args-prompt", says: "This prompt needs: `/mcp My Server args-prompt <city> [state]`." },
];

test.each(wrong)("/mcp $line says what is wrong", async ({ line, says }) => {
  const mcp = await servers();
  expect(await mcp.command(line)).toEqual({ type: "text", text: says });
});

test("a server that is away is said with why, and so is a call of a tool that it would have", async () => {
  const { mcp } = begin({ gone: { command: "/nowhere/at/all" } });
  await mcp.settled();
  expect(await mcp.command("gone")).toMatchObject({
    text: expect.stringMatching(/^✗ gone is not connected: its program is not found/),
  });
  expect(mcp.missing("mcp__gone__anything")).toMatch(/^gone is not connected/);
  expect(mcp.missing("mcp__other__anything")).toBeNull();
});
