import { randomInt } from "node:crypto";
import { z } from "zod";
import type { BashBinding, BashRequest } from "../../../wasm/guests/bash/request.ts";
import { capabilitiesText } from "../../core/capabilities.ts";
import { CancelSignal } from "../../core/protocol/signals.ts";
import type { ToolResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import { bindingSchema, boundText } from "./bash-binding.ts";
import { cancelledText, withChangedFiles } from "./changed-files.ts";
import { type CallScope, callGuest, type Guest } from "./guest-call.ts";
import { aboutMissing } from "./missing-commands.ts";
import {
  callFile,
  capabilitiesOf,
  linesSummary,
  outputSchema,
  shownOutput,
  timeoutSeconds,
  titleOf,
  withTimeout,
} from "./program-output.ts";
import { readShellState, writeShellState } from "./shell-state.ts";

/** Maximum characters of each of stdout and stderr. */
const MAX_CHARS = 20_000;
/** Extra time beyond the command's own, in which the shell can end by itself and report. */
const GRACE_MS = 1_500;
/** Time limit for finding out what a command executes. */
const LOOK_MS = 10_000;

const input = z.object({
  command: z
    .string()
    .min(1)
    .refine((text) => text.isWellFormed() && !text.includes("\0"), "command must be valid Unicode without NUL")
    .describe("The script, in bash syntax."),
  timeout: timeoutSeconds,
  description: z.string().max(200).optional().describe("What it does, in a few words; shown to people."),
});
type Input = z.infer<typeof input>;

const reply = z.object({
  exitCode: z.int(),
  stdout: outputSchema,
  stderr: outputSchema,
  cwd: z.string(),
  env: z.record(z.string(), z.string()),
  notes: z.array(z.string()),
  timedOut: z.boolean(),
  stopped: z.boolean(),
});
type Reply = z.infer<typeof reply>;

export function createBash(guest: Guest, files: Guest): Tool {
  return defineTool({
    name: "bash",
    description:
      "Runs a bash script in the sandbox, where the working directory is /workspace. It is a built-in shell without native programs: " +
      "pipes, redirections, loops, functions, arrays, and cat, ls, cp, mv, rm, find, grep, sed, awk, jq, sort, uniq, cut, tr, " +
      "head, tail, diff, comm, join, xargs, tee, wc, date, base64, md5sum, sha256sum, gzip, tar, unzip and more. No network, no git, no " +
      "interpreters, no package managers. The working directory and variables persist across calls; functions, arrays, " +
      "options and /tmp do not. It cannot change .git, AGENTS.md, CLAUDE.md, .agents/, .claude/ or extensions/. " +
      "To read, search or change files, prefer the tools made for that.",
    offer: {
      about:
        "Runs a bash script in the sandbox at /workspace, with the usual commands (ls, cp, find, grep, sed, awk, jq, sort, diff, xargs, date, base64, gzip, unzip …) and no network, git, interpreters or package managers. Directory and variables persist across calls; functions and /tmp do not. It cannot change .git, AGENTS.md, CLAUDE.md, .agents/, .claude/, extensions/.",
      arguments: {
        command: "",
        timeout: "Seconds. Default 60, at most 600.",
        description: "What it does, for people.",
      },
    },
    input,
    permission: "execute",
    parallel: false,
    afterCrash: "never",
    keepsState: true,
    grantBindsPreview: true,
    grant: ({ command }) => ({ key: command, label: "this command" }),
    title: ({ command, description }) => titleOf(description ?? command),
    capabilities: (call, place) => capabilitiesOf(guest, call, place),
    preview: async (call, ctx, signal) => {
      const reach = capabilitiesText(capabilitiesOf(guest, call, ctx));
      const bound = boundText(await bindingOf(guest, call, { ctx, signal, writes: false }));
      return { question: "Run a command?", language: "sh", text: call.command, reach, ...bound };
    },
    execute: async (call, ctx, signal) => {
      const result = await withChangedFiles(files, { ctx, signal, writes: true }, (scope) => run(guest, call, scope));
      // If the call ended early, the next call starts in the same state as this one did.
      return result.toolState === undefined && ctx.toolState !== null
        ? { ...result, toolState: ctx.toolState }
        : result;
    },
  });
}

function requestOf(
  { command }: Input,
  { callId, toolState, previewDigest }: ToolContext,
  timeoutMs: number,
): BashRequest {
  return {
    ...readShellState(toolState),
    command,
    timeoutMs,
    maxChars: MAX_CHARS,
    overflow: callFile(callId),
    seed: randomInt(2 ** 32),
    bound: previewDigest ?? null,
    looks: false,
  };
}

/** Determines what the command would run with and execute now. Throws Refusal and SandboxError. */
function bindingOf(guest: Guest, call: Input, scope: CallScope): Promise<BashBinding> {
  const looking = { ...guest, limits: { ...guest.limits, timeoutMs: LOOK_MS } };
  const body: BashRequest = { ...requestOf(call, scope.ctx, LOOK_MS), looks: true };
  return callGuest(looking, { body, reply: bindingSchema }, scope);
}

async function run(guest: Guest, call: Input, scope: CallScope): Promise<ToolResult> {
  const { command, timeout } = call;
  const { timeoutMs } = withTimeout(guest, timeout).limits;
  const body = requestOf(call, scope.ctx, timeoutMs);
  const ended = await callGuest(withTimeout(guest, timeout, GRACE_MS), { body, reply }, scope);
  if (ended.stopped) return stoppedResult(ended, scope.signal);
  return ended.timedOut ? timedOutResult(ended, timeoutMs / 1_000) : resultOf(ended, command);
}

/** Turns a person's stop into a result; throws the reason of any other abort. */
function stoppedResult(ended: Reply, { reason }: AbortSignal): ToolResult {
  if (!(reason instanceof CancelSignal)) throw reason;
  return cutShort(ended, { why: cancelledText(reason), summary: "cancelled" });
}

function timedOutResult(ended: Reply, seconds: number): ToolResult {
  const why =
    `Stopped after ${seconds} s: the command took too long. Anything it had already changed remains. ` +
    "Do less per call, or set a longer timeout.";
  return cutShort(ended, { why, summary: `stopped after ${seconds} s` });
}

/** Result of a command that was cut short, with what it had printed. */
function cutShort(
  { stdout, stderr, notes }: Reply,
  { why, summary }: { readonly why: string; readonly summary: string },
): ToolResult {
  const lines = [
    why,
    ...shownOutput("stdout up to then", stdout),
    ...shownOutput("stderr up to then", stderr),
    ...notes.map((sentence) => `[${sentence}]`),
  ];
  return { content: [{ type: "text", text: lines.join("\n") }], isError: true, summary };
}

function resultOf(ended: Reply, command: string): ToolResult {
  const { exitCode, stdout, stderr, notes } = ended;
  const { toolState, dropped } = writeShellState(ended);
  const about = [
    ...aboutMissing({ command, exitCode, stderr: stderr.text }),
    ...notes,
    ...dropped.map((name) => `The variable ${name} is too large to be kept for the next call.`),
  ];
  const lines = [
    `exit code ${exitCode}${ended.cwd === "" ? "" : `, in /workspace/${ended.cwd}`}`,
    ...shownOutput("stdout", stdout),
    ...shownOutput("stderr", stderr),
    ...about.map((sentence) => `[${sentence}]`),
  ];
  return {
    content: [{ type: "text", text: lines.join("\n") }],
    isError: exitCode !== 0,
    summary: exitCode === 0 ? linesSummary(stdout.lines) : `exit code ${exitCode}`,
    exitCode,
    toolState,
  };
}
