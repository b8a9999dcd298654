import type { Cluster } from "../core/cluster.ts";
import type { ListedTool } from "../core/command-line/command.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import type { ToolResult } from "../core/protocol/tool-result.ts";
import type { RunnerOptions } from "../core/run/runner-options.ts";
import { plainPreview, type Tool } from "../core/tool.ts";
import { createGitTool } from "./git.ts";
import type { InstructionGate } from "./instructions/instruction-gate.ts";
import type { NativeToolDeps } from "./native/native-tool-deps.ts";
import { createNativeTools } from "./native/native-tools.ts";
import { createReadThread } from "./native/read-thread.ts";
import type { ConnectOptions } from "./network/connect.ts";
import type { Resolve } from "./network/resolve.ts";
import type { OwnFiles } from "./own-files.ts";
import { createFileTools } from "./sandboxed/file-tools.ts";
import { createDocumentReader } from "./sandboxed/read-document.ts";
import { createJobTools, type JobTools } from "./schedule-job.ts";
import type { ProgramSecrets } from "./secrets/file-secrets.ts";
import { createSkillTool } from "./skill.ts";
import type { Sandbox } from "./wasm/sandbox.ts";
import { createWebFetch } from "./web/web-fetch.ts";

export interface ToolboxOptions extends Omit<NativeToolDeps, "catalogue" | "clock" | "ownFiles"> {
  readonly sandbox: Sandbox;
  /** Directory where former contents of files are kept before tools change them. */
  readonly snapshots: string;
  /** How tools resolve host names. */
  readonly resolve: Resolve;
  /** The proxy through which tools reach a URL; if absent, none is used. */
  readonly proxyFor?: ConnectOptions["proxyFor"];
  readonly runtime: Runtime;
  readonly log: Log;
  readonly cluster: Pick<Cluster, "lock">;
  readonly instructions: Pick<InstructionGate, "skills" | "followsFile" | "waiting" | "followsRepository">;
  readonly jobs: JobTools["jobs"];
  /** The program's own tokens and keys, which are removed from all results. */
  readonly secrets: ProgramSecrets;
  /** Opens the tools of features; receives the names that are already taken. */
  readonly features: (taken: ReadonlySet<string>) => Promise<FeatureTools>;
}

/** A tool, and where it comes from in words for people. */
export interface SourcedTool {
  readonly tool: Tool;
  readonly source: string;
}

/** What features contribute. */
export interface FeatureTools
  extends Pick<Toolbox, "problems" | "start" | "stop">,
    Omit<Toolbox["runs"], "tools" | "readDocument"> {
  tools(): readonly SourcedTool[];
  readonly ownFiles: OwnFiles;
}

/** All tools. Those of features come and go. */
export interface Toolbox {
  tools(): readonly Tool[];
  sources(): readonly SourcedTool[];
  listed(): readonly ListedTool[];
  /** Sentences about why expected tools are missing. */
  problems(): readonly string[];
  /** The part of the toolbox that runs use. */
  readonly runs: Pick<RunnerOptions, "tools" | "sections" | "whyMissing" | "toolKnown" | "delegate" | "readDocument">;
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { sandbox, runtime, instructions } = options;
  const { clock } = runtime;
  const clean = secretMasker(options.secrets);
  const readDocument = createDocumentReader(sandbox);
  const files = createFileTools(sandbox);
  const ownFiles = (): OwnFiles => features.ownFiles;
  const native = createNativeTools({ ...options, clock, catalogue: () => all(), ownFiles });
  const others = [
    createReadThread(readDocument),
    ...createJobTools({ ...options, clock }),
    createSkillTool(instructions),
    createGitTool({ worktreesOf: (root) => ownFiles().gitOf(root) }),
    createWebFetch(sandbox, { resolve: options.resolve, proxyFor: options.proxyFor }),
  ];
  const own = (): readonly Tool[] => [...files, ...native(), ...others];
  const features = await options.features(new Set(own().map(({ name }) => name)));
  const { sections, whyMissing, toolKnown, delegate } = features;
  const all = (): readonly Tool[] => [...own(), ...features.tools().map(({ tool }) => tool)].map(clean);
  const sources = () => [...own().map((tool) => ({ tool, source: "built in" })), ...features.tools()];
  return {
    tools: all,
    sources,
    listed: () => sources().map(({ tool, source }) => listed(tool, source)),
    problems: () => features.problems(),
    runs: { tools: all, sections, whyMissing, toolKnown, delegate, readDocument },
    start: (signal) => features.start(signal),
    stop: () => features.stop(),
  };
}

type Preview = NonNullable<Tool["preview"]>;

/**
 * Wraps a tool so that its results do not contain the program's own tokens and keys, and what people see of a call
 * contains neither these nor the values of secret files; the card describes such values instead. Wrapping the same tool
 * again returns the same object.
 */
export function secretMasker({ hide, hideIn, files }: ProgramSecrets): (tool: Tool) => Tool {
  const cleaned = new WeakMap<Tool, Tool>();
  const resultOf = (result: ToolResult, input: unknown): ToolResult => {
    const content = result.content.map((block) =>
      "text" in block && block.text !== undefined ? { ...block, text: hide(block.text) } : block,
    );
    // Learn the values before anybody sees the result.
    files.learn(content, result.label, input);
    return { ...result, content, ...(result.summary === undefined ? {} : { summary: hide(result.summary) }) };
  };
  const shown = <T>(data: T): T => files.hideIn(hideIn(data));
  const made = (tool: Tool): Tool => {
    const { name, resume, reconcile, describePartialWork } = tool;
    const titleOf = (input: unknown) => shown(tool.title(input));
    const previewOf: Preview = tool.preview ?? (async (input) => plainPreview({ name, input }, tool.title(input)));
    return {
      ...tool,
      title: titleOf,
      execute: async (input, ...call) => resultOf(await tool.execute(input, ...call), input),
      preview: async (input, ...call) => {
        const preview = await previewOf(input, ...call);
        if ("refused" in preview) return shown(preview);
        const carried = secretFacts(files.foundIn([input, preview]));
        return {
          ...shown(preview),
          ...(carried.length === 0 ? {} : { facts: [...carried, ...shown(preview.facts ?? [])] }),
        };
      },
      ...(reconcile && { reconcile: async (call, ...rest) => resultOf(await reconcile(call, ...rest), call.input) }),
      ...(describePartialWork && {
        describePartialWork: async (input, ...call) => resultOf(await describePartialWork(input, ...call), input),
      }),
      ...(resume && {
        resume: async (input, ...call) => {
          const result = await resume(input, ...call);
          return result === null ? null : resultOf(result, input);
        },
      }),
    };
  };
  return (tool) => {
    const known = cleaned.get(tool) ?? made(tool);
    cleaned.set(tool, known);
    return known;
  };
}

/** Maximum number of secret file values that a call's card lists. */
const MAX_CARRIED = 5;

/** Lists the values that a call contains but its card masks, for the people who decide. */
function secretFacts(found: readonly string[]): string[] {
  const more = found.length > MAX_CARRIED ? [`⚠ … and ${found.length - MAX_CARRIED} more secrets`] : [];
  const lines = found.slice(0, MAX_CARRIED).map((each) => `⚠ In it, and shown here by its name alone: ${each}`);
  return [...lines, ...more];
}

function listed({ name, permission, onlyFor, capabilities }: Tool, source: string): ListedTool {
  return { name, permission, source, ...(onlyFor && { onlyFor }), ...(capabilities && { capabilities }) };
}
