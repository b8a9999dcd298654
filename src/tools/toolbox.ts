import type { ListedTool, McpAnswer } from "../core/command-line/command.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import type { RunnerOptions } from "../core/run/runner.ts";
import type { Tool } from "../core/tool.ts";
import { keepCopies } from "./copies/keep-copies.ts";
import { createExtensions } from "./extensions/extensions.ts";
import type { ExtensionSources } from "./extensions/load-extensions.ts";
import { createGitTool } from "./git.ts";
import type { McpConnections, McpOptions } from "./mcp/connections.ts";
import type { AskThread } from "./mcp/elicitation/ask-people.ts";
import { createMergeWork } from "./merge-work.ts";
import { askAndWait } from "./native/ask-and-wait.ts";
import { createNativeTools, type NativeToolDeps } from "./native/native-tools.ts";
import type { Resolve } from "./network/resolve.ts";
import { createFileTools } from "./sandboxed/file-tools.ts";
import { createJobTools, type JobToolDeps } from "./schedule-job.ts";
import { createSkillTool } from "./skill.ts";
import type { SkillReader } from "./skills/skill-reader.ts";
import type { Sandbox } from "./wasm/sandbox.ts";
import { createWebFetch } from "./web/web-fetch.ts";
import { createWebSearch, type WebSearchSettings } from "./web/web-search.ts";

export interface ToolboxOptions extends Omit<NativeToolDeps, "catalogue" | "clock"> {
  readonly sandbox: Sandbox;
  /** Where what files held is kept before tools change them. */
  readonly snapshots: string;
  /** How tools look host names up. */
  readonly resolve: Resolve;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly skills: SkillReader;
  readonly jobs: JobToolDeps["jobs"];
  /** Null: there is no service to search with. */
  readonly webSearch: WebSearchSettings | null;
  readonly mcp: Pick<McpOptions, "servers" | "idle" | "environment" | "version">;
  /** Tools of third parties. */
  readonly extensions: Pick<ExtensionSources, "directories" | "bindings">;
}

/** What a start waits for extensions: loading known ones takes a fraction of it, making bindings takes seconds. Milliseconds. */
const LOAD_WAIT_MS = 200;

/** Every tool there is. Those of MCP servers come and go with their servers. */
export interface Toolbox {
  tools(): readonly Tool[];
  /** As people read them, with where each comes from. */
  listed(): readonly ListedTool[];
  /** Why tools are missing that there should be, a sentence each. */
  problems(): readonly string[];
  /** How each MCP server stands, and who calls back whenever that has changed. */
  readonly servers: Pick<McpConnections, "standings" | "watch">;
  /** What a line after `/mcp` asks for; undefined without servers. */
  mcp(line: string): Promise<McpAnswer | undefined>;
  /** What runs have of them. */
  readonly runs: Required<Pick<RunnerOptions, "tools" | "whyMissing">>;
  /**
   * Connects the servers in the background, and loads the extensions: those whose bindings are made are there when it
   * resolves, a new one follows when its are.
   */
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { sandbox, runtime, log, skills, webSearch } = options;
  const { clock } = runtime;
  const servers = await connectionsOf(options);
  const own: readonly Tool[] = [
    ...createFileTools(sandbox),
    ...createNativeTools({ ...options, clock, catalogue: () => all() }),
    ...createJobTools({ ...options, clock }),
    createSkillTool(skills),
    createMergeWork(options),
    createGitTool({ worktreesOf: (root) => options.copies.at(root)?.git ?? null }),
    createWebFetch({ sandbox, resolve: options.resolve }),
    ...(webSearch === null ? [] : [createWebSearch(webSearch)]),
  ];
  const reserved = new Set(own.map(({ name }) => name));
  const extensions = createExtensions({ ...options.extensions, sandbox, reserved }, log);
  let stopKeeping = () => {};
  const all = (): readonly Tool[] => [...own, ...extensions.tools(), ...(servers?.tools() ?? [])];
  const from = (tools: readonly Tool[], source: string): ListedTool[] =>
    tools.map(({ name, permission, capabilities }) => {
      return { name, permission, source, ...(capabilities && { capabilities }) };
    });
  const ofServers = (): ListedTool[] => {
    const served = (servers?.describe() ?? []).flatMap(({ name: server, tools }) =>
      tools.map(({ name, permission }) => ({ name, permission, source: `MCP server ${server}, not sandboxed` })),
    );
    const names = new Set(served.map(({ name }) => name));
    const forAll = (servers?.tools() ?? []).filter(({ name }) => !names.has(name));
    return [...served, ...from(forAll, "all MCP servers, not sandboxed")];
  };
  return {
    tools: all,
    listed: () => [...from(own, "built in"), ...from(extensions.tools(), "extension"), ...ofServers()],
    problems: () => servers?.problems() ?? [],
    servers: servers ?? { standings: () => [], watch: () => {} },
    mcp: async (line) => servers?.command(line),
    runs: {
      tools: all,
      whyMissing: (name) => servers?.missing(name) ?? extensions.missing(name),
    },
    start: async (signal) => {
      servers?.start(signal);
      stopKeeping = keepCopies({ ...options, clock });
      const { promise: longEnough, resolve } = Promise.withResolvers<void>();
      const cancel = clock.after(LOAD_WAIT_MS, resolve);
      await Promise.race([extensions.load(), longEnough]);
      cancel();
    },
    stop: async () => {
      stopKeeping();
      await servers?.stop();
    },
  };
}

/** Without servers the client that speaks to them is not even loaded. */
async function connectionsOf(options: ToolboxOptions): Promise<McpConnections | null> {
  const { mcp, runtime, log } = options;
  if (Object.keys(mcp.servers).length === 0 && mcp.idle.length === 0) return null;
  const { createMcpConnections } = await import("./mcp/connections.ts");
  const { clock, random } = runtime;
  const ask: AskThread = async ({ key, question, options: choices }, ctx, signal) => {
    const body = { kind: "question" as const, key, question, options: [...choices] };
    const { status, answer } = await askAndWait(body, { ctx, signal }, { ...options, clock });
    if (status !== "answered" || answer === null) return null;
    return { choice: typeof answer.choice === "number" ? answer.choice : null, text: answer.text };
  };
  return createMcpConnections({ ...mcp, clock, random, log, ask });
}
