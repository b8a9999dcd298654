import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import type { WriteIntent } from "../../src/core/events/call-record.ts";
import { textOf } from "../../src/core/protocol/messages.ts";
import type { ToolResult } from "../../src/core/protocol/tool-result.ts";
import type { Tool, ToolContext } from "../../src/core/tool.ts";
import type { NetworkOptions } from "../../src/tools/network/exchange.ts";
import type { GuestFetchLimits } from "../../src/tools/network/limits.ts";
import { createFileTools, type FileToolLimits } from "../../src/tools/sandboxed/file-tools.ts";
import { createSandbox, type Sandbox } from "../../src/tools/wasm/sandbox.ts";
import { buildGuests, SANDBOX_CHILD } from "../support/program/built.ts";
import { tempDirectory } from "../support/temp-directory.ts";
import { toolContext } from "../support/tool-context.ts";

/** Shared by all test files of this process, because the child keeps its compiled guests. */
const shared = createSandbox(SANDBOX_CHILD);

/** A sandbox for the tests of a file, with guests built from the current sources. */
export function useSandbox(network?: Partial<NetworkOptions<GuestFetchLimits>>): Sandbox {
  beforeAll(async () => {
    await buildGuests();
  });
  if (network === undefined) return shared;
  const sandbox = createSandbox({ ...SANDBOX_CHILD, network });
  afterAll(() => sandbox.close());
  return sandbox;
}

export interface FileSession {
  readonly root: string;
  readonly known: Map<string, string>;
  readonly intents: WriteIntent[];
  readonly context: ToolContext;
  tool(name: string): Tool;
  /** Runs a tool as the loop does: later calls know the files that its result reports. */
  run(name: string, input: object, signal?: AbortSignal): Promise<ToolResult>;
  put(file: string, content: string | Uint8Array): void;
  bytes(file: string): Buffer;
}

export interface SessionOptions {
  readonly limits?: FileToolLimits;
  readonly context?: Partial<ToolContext>;
}

export function fileSession(sandbox: Sandbox, options: SessionOptions = {}): FileSession {
  const root = options.context?.sandboxRoot ?? path.join(tempDirectory(), "root");
  mkdirSync(root, { recursive: true });
  const known = new Map<string, string>();
  const intents: WriteIntent[] = [];
  const context = toolContext({
    sandboxRoot: root,
    knownFiles: known,
    intend: async (intent) => void intents.push(intent),
    ...options.context,
  });
  const tools = createFileTools(sandbox, options.limits);
  const tool = (name: string): Tool => {
    const found = tools.find((candidate) => candidate.name === name);
    if (found === undefined) throw new Error(`no tool ${name}`);
    return found;
  };
  return {
    root,
    known,
    intents,
    context,
    tool,
    run: async (name, input, signal = new AbortController().signal) => {
      const result = await tool(name).execute(input, context, signal);
      for (const file of result.files ?? []) if (file.sha256 !== null) known.set(file.path, file.sha256);
      return result;
    },
    put: (file, content) => {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), content);
    },
    bytes: (file) => readFileSync(path.join(root, file)),
  };
}

export function text(result: ToolResult): string {
  return textOf(result.content);
}
