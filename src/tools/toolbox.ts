import type { ListedTool } from "../core/command-line/command.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import type { ToolResult } from "../core/protocol/tool-result.ts";
import type { RunnerOptions } from "../core/run/runner.ts";
import type { Tool } from "../core/tool.ts";
import { createGitTool } from "./git.ts";
import type { InstructionGate } from "./instructions/instruction-gate.ts";
import { createMergeWork } from "./merge-work.ts";
import { createNativeTools, type NativeToolDeps } from "./native/native-tools.ts";
import type { Resolve } from "./network/resolve.ts";
import type { Quotas } from "./quotas/quotas.ts";
import { createFileTools } from "./sandboxed/file-tools.ts";
import { createJobTools, type JobToolDeps } from "./schedule-job.ts";
import type { ProgramSecrets } from "./secrets/file-secrets.ts";
import { createSkillTool } from "./skill.ts";
import type { Sandbox } from "./wasm/sandbox.ts";
import { createWebFetch } from "./web/web-fetch.ts";
import { keepWorktreesPruned } from "./worktrees/prune-worktrees.ts";

export interface ToolboxOptions extends Omit<NativeToolDeps, "catalogue" | "clock"> {
  readonly sandbox: Sandbox;
  /** Where what files held is kept before tools change them. */
  readonly snapshots: string;
  /** How tools look host names up. */
  readonly resolve: Resolve;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly instructions: Pick<InstructionGate, "skills" | "followsFile" | "waiting" | "followsRepository">;
  readonly jobs: JobToolDeps["jobs"];
  /** How much may be written; absent: anything. */
  readonly quotas?: Quotas;
  /** The program's own tokens and keys, which no result holds. */
  readonly secrets: ProgramSecrets;
  /** Opens what features bring, told the names that are taken. */
  readonly features: (taken: ReadonlySet<string>) => Promise<FeatureTools>;
}

/** What features bring. */
export interface FeatureTools extends Pick<Toolbox, "problems" | "start" | "stop"> {
  /** `source`: as people read it. */
  tools(): readonly { readonly tool: Tool; readonly source: string }[];
  readonly sections: Toolbox["runs"]["sections"];
  readonly whyMissing: Toolbox["runs"]["whyMissing"];
  readonly toolKnown: Toolbox["runs"]["toolKnown"];
}

/** Every tool there is. Those of features come and go. */
export interface Toolbox {
  tools(): readonly Tool[];
  /** As people read them, with where each comes from. */
  listed(): readonly ListedTool[];
  /** Why tools are missing that there should be, a sentence each. */
  problems(): readonly string[];
  /** What runs have of them. */
  readonly runs: Required<Pick<RunnerOptions, "tools" | "sections" | "whyMissing" | "toolKnown">>;
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function createToolbox(options: ToolboxOptions): Promise<Toolbox> {
  const { sandbox, runtime, instructions } = options;
  const { clock } = runtime;
  const clean = cleaning(options.secrets);
  const own: readonly Tool[] = [
    ...createFileTools(sandbox),
    ...createNativeTools({ ...options, clock, catalogue: () => all() }),
    ...createJobTools({ ...options, clock }),
    createSkillTool(instructions),
    createMergeWork(options, sandbox.guardedFiles),
    createGitTool({ worktreesOf: (root) => options.worktrees.at(root)?.git ?? null }),
    createWebFetch(sandbox, { resolve: options.resolve }),
  ];
  const features = await options.features(new Set(own.map(({ name }) => name)));
  let stopKeeping = () => {};
  const all = (): readonly Tool[] => [...own, ...features.tools().map(({ tool }) => tool)].map(clean);
  return {
    tools: all,
    listed: () => [
      ...own.map((tool) => listed(tool, "built in")),
      ...features.tools().map(({ tool, source }) => listed(tool, source)),
    ],
    problems: () => features.problems(),
    runs: {
      tools: all,
      sections: features.sections,
      whyMissing: features.whyMissing,
      toolKnown: features.toolKnown,
    },
    start: (signal) => {
      stopKeeping = keepWorktreesPruned({ ...options, clock });
      return features.start(signal);
    },
    stop: () => {
      stopKeeping();
      return features.stop();
    },
  };
}

/** A tool's results, and what people see of a call, without the program's own tokens and keys. The same tool gives the same one. */
export function cleaning({ hide, hideIn, files }: ProgramSecrets): (tool: Tool) => Tool {
  const cleaned = new WeakMap<Tool, Tool>();
  const resultOf = (result: ToolResult): ToolResult => {
    const content = result.content.map((block) =>
      block.type === "text" ? { ...block, text: hide(block.text) } : block,
    );
    // Before anybody is told of it.
    files.learn(content, result.label);
    return { ...result, content, ...(result.summary === undefined ? {} : { summary: hide(result.summary) }) };
  };
  const made = (tool: Tool): Tool => {
    const { resume, reconcile, describePartialWork, preview } = tool;
    return {
      ...tool,
      execute: async (...call) => resultOf(await tool.execute(...call)),
      ...(preview && { preview: async (...call) => hideIn(await preview(...call)) }),
      ...(reconcile && { reconcile: async (...call) => resultOf(await reconcile(...call)) }),
      ...(describePartialWork && {
        describePartialWork: async (...call) => resultOf(await describePartialWork(...call)),
      }),
      ...(resume && {
        resume: async (...call) => {
          const result = await resume(...call);
          return result === null ? null : resultOf(result);
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

function listed({ name, permission, capabilities }: Tool, source: string): ListedTool {
  return { name, permission, source, ...(capabilities && { capabilities }) };
}
