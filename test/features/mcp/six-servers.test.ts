import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { McpCommandServer } from "../../../src/features/mcp/server-settings.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { connect, context, everything, textIn } from "./connected.ts";

/** Servers from npm that nobody here wrote, over stdio, each by the name of its package. */

const server = (file: string, args: readonly string[] = [], env = {}): McpCommandServer => ({
  command: process.execPath,
  args: [path.resolve("node_modules", file), ...args],
  env,
});

const FILESYSTEM = "@modelcontextprotocol/server-filesystem/dist/index.js";

interface Case {
  readonly name: string;
  readonly server: (folder: string) => McpCommandServer;
  readonly tools: number;
  readonly call: { readonly tool: string; readonly input: (folder: string) => object; readonly says: RegExp };
}

const cases: Case[] = [
  {
    name: "server-everything",
    server: () => everything(),
    tools: 15,
    call: { tool: "echo", input: () => ({ message: "hello" }), says: /^Echo: hello$/ },
  },
  {
    name: "server-filesystem",
    server: (folder) => server(FILESYSTEM, [folder]),
    tools: 14,
    call: { tool: "read_text_file", input: (folder) => ({ path: `${folder}/a.md` }), says: /^# Anchor/ },
  },
  {
    name: "server-memory",
    server: (folder) =>
      server("@modelcontextprotocol/server-memory/dist/index.js", [], { MEMORY_FILE_PATH: `${folder}/memory.jsonl` }),
    tools: 9,
    call: {
      tool: "create_entities",
      input: () => ({ entities: [{ name: "Ana", entityType: "person", observations: ["likes boats"] }] }),
      says: /likes boats/,
    },
  },
  {
    name: "server-sequential-thinking",
    server: () => server("@modelcontextprotocol/server-sequential-thinking/dist/index.js"),
    tools: 1,
    call: {
      tool: "sequentialthinking",
      input: () => ({ thought: "First", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }),
      says: /"thoughtNumber": 1/,
    },
  },
  {
    name: "mcp-obsidian",
    server: (folder) => ({ ...server("mcp-obsidian/dist/index.js", [folder]), cwd: folder }),
    tools: 2,
    call: { tool: "read_notes", input: () => ({ paths: ["a.md"] }), says: /# Anchor/ },
  },
  {
    name: "mcp-server-commands",
    server: () => server("mcp-server-commands/build/index.js", [], { PATH: process.env["PATH"] ?? "" }),
    tools: 1,
    call: { tool: "run_command", input: () => ({ command: "echo anchored" }), says: /anchored/ },
  },
];

/** In small letters, since mcp-obsidian knows no others. */
function notes(): string {
  const folder = tempDirectory().toLowerCase();
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(path.join(folder, "a.md"), "# Anchor\n");
  return folder;
}

test.each(cases)("$name is connected, all its tools are offered, and one of them works", async (given) => {
  const folder = notes();
  const { mcp, call } = await connect({ third: given.server(folder) });
  const [view] = mcp.describe();
  expect(view).toMatchObject({ problem: null, leftOut: [] });
  expect(view?.tools).toHaveLength(given.tools);
  const result = await call(`mcp__third__${given.call.tool}`, given.call.input(folder));
  expect(result.isError).toBe(false);
  expect(textIn(result)).toMatch(given.call.says);
});

describe("roots", () => {
  test("each call tells the server the sandbox root of its session, whoever called before", async () => {
    const { mcp, tool } = await connect({ files: server(FILESYSTEM) });
    const [here, there] = [notes(), notes()];
    const allowed = async (sandboxRoot: string, sessionId: string) => {
      const ctx = context({ sandboxRoot, sessionId });
      return textIn(await tool("mcp__files__list_allowed_directories").execute({}, ctx, new AbortController().signal));
    };
    expect(mcp.problems()).toEqual([]);
    // The first call may come before the server has asked for roots at all.
    await expect.poll(() => allowed(here, "a")).toContain(here);
    const both = await Promise.all([allowed(here, "a"), allowed(there, "b"), allowed(here, "a"), allowed(there, "b")]);
    expect(both.map((text) => [text.includes(here), text.includes(there)])).toEqual([
      [true, false],
      [false, true],
      [true, false],
      [false, true],
    ]);
  });

  test("a server whose arguments name a directory keeps that directory", async () => {
    const folder = notes();
    const { tool } = await connect({ files: server(FILESYSTEM, [folder]) });
    const ctx = context({ sandboxRoot: notes() });
    const read = await tool("mcp__files__read_text_file").execute(
      { path: `${folder}/a.md` },
      ctx,
      new AbortController().signal,
    );
    expect(textIn(read)).toContain("# Anchor");
  });
});
