import { expect, test } from "vitest";
import { z } from "zod";
import { privateMessage } from "../../../src/core/platform/replies.ts";
import { begin, connect, everything, hostile, useConnected } from "./connected.ts";

const connected = useConnected(async () => ({ all: everything({ title: "My Server", description: "for tests" }) }));

test("the command lists the servers without a name, and a server's prompts with one", async () => {
  const { mcp } = connected();
  expect(await mcp.command("")).toMatchObject({
    markdown: expect.stringMatching(/^✓ \*\*My Server\*\* · \d+ tools · for tests$/),
  });
  for (const name of ["all", "My Server", "my server"]) {
    const listed = await mcp.command(name);
    expect(listed).toMatchObject({ markdown: expect.stringContaining("`args-prompt <city> [state]`") });
  }
});

test("a server's prompts are listed with what its tools may do, according only to the operator", async () => {
  const tools = { "get-*": { permission: "read" }, "get-env": { permission: "execute" } } as const;
  const { mcp } = await connect({ all: everything({ tools }) });
  const { markdown } = z.object({ markdown: z.string() }).parse(await mcp.command("all"));
  expect(markdown).toMatch(/^Tools, from the settings: reads (get-[a-z-]+(, )?)+; sends echo, /);
  expect(markdown).toMatch(/sends .*get-env/);
});

const lines = [
  { line: "all simple-prompt", says: "This is a simple prompt without arguments." },
  { line: "My Server args-prompt Paris", says: "What's weather in Paris?" },
  { line: "all args-prompt state=Texas Paris", says: "What's weather in Paris, Texas?" },
  { line: "all args-prompt Paris New York State", says: "What's weather in Paris, New York State?" },
  { line: 'all args-prompt "New York" NY', says: "What's weather in New York, NY?" },
];

test.each(lines)("/mcp $line begins a run", async ({ line, says }) => {
  const { mcp } = connected();
  expect(await mcp.command(line)).toEqual({ run: says, from: "MCP server My Server" });
});

const wrong = [
  { line: "none", says: "I don't know the MCP server none. `/mcp` lists them." },
  { line: "all none", says: "My Server has no prompt none. `/mcp My Server` lists them." },
  { line: "all args-prompt", says: "This prompt needs: `/mcp My Server args-prompt <city> [state]`." },
];

test.each(wrong)("/mcp $line says what is wrong", async ({ line, says }) => {
  const { mcp } = connected();
  expect(await mcp.command(line)).toEqual(privateMessage(says));
});

test("of two servers whose names begin alike, the longer name is chosen if it is typed in full", async () => {
  const gone = { command: "/nowhere/at/all" };
  const { mcp } = begin({ docs: gone, "docs-old": { ...gone, title: "docs of last year" } });
  await mcp.settled();
  expect(await mcp.command("docs of last year")).toMatchObject({
    markdown: expect.stringMatching(/^✗ docs of last year is not connected/),
  });
  expect(await mcp.command("docs of")).toMatchObject({ markdown: expect.stringMatching(/^✗ docs is not connected/) });
});

test("an unreachable server is reported with the reason, and so is a call to one of its tools", async () => {
  const { mcp } = begin({ gone: { command: "/nowhere/at/all" } });
  await mcp.settled();
  expect(await mcp.command("gone")).toMatchObject({
    markdown: expect.stringMatching(/^✗ gone is not connected: its program was not found/),
  });
  expect(mcp.missing("mcp__gone__anything")).toMatch(/^gone is not connected/);
  expect(mcp.missing("mcp__other__anything")).toBeNull();
});

test("a prompt whose name has spaces is called, not another that begins like it", async () => {
  const { mcp } = await connect({ odd: hostile() });
  expect(await mcp.command("odd p and q")).toMatchObject({ run: "This is p and q." });
  expect(await mcp.command("odd p and")).toMatchObject({ run: "This is p." });
});
