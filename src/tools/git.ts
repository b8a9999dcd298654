import { tmpdir } from "node:os";
import { errorResult, type ToolResult, textResult } from "../core/protocol/tool-result.ts";
import { counted } from "../core/text/counted.ts";
import { defineTool, type Tool, type ToolContext } from "../core/tool.ts";
import { type GitInput, gitArguments, gitInput, optionProblem } from "./git/command.ts";
import { withoutCommittedSecrets } from "./git/committed-secrets.ts";
import { INDEX_BYTES, INDEX_NAMES, requireOwnPaths } from "./git/index-paths.ts";
import { missingHistory } from "./git/missing-history.ts";
import { findRepository } from "./git/repository.ts";
import {
  findGit,
  GIT_PROGRAMS,
  type GitCall,
  type GitEnd,
  type GitLimits,
  gitRunner,
  type RunGit,
} from "./git/run-git.ts";
import { readSettings } from "./git/settings.ts";
import { withStandIn } from "./git/stand-in-directory.ts";
import { refuseUnnamedFiles } from "./git/unnamed-files.ts";
import { type FoundWorktree, findWorktree } from "./git/worktree-repositories.ts";
import { asResult, relativePath } from "./sandboxed/guest-call.ts";
import { createSecretGuard } from "./secrets/secret-files.ts";
import { CallQueue } from "./wasm/call-queue.ts";
import { PathResolver, withFile } from "./wasm/workspace/path-resolver.ts";
import { hashOf, readWhole } from "./wasm/workspace/read-file.ts";
import { Refusal, refusedBySystem, refusing } from "./wasm/workspace/refusal.ts";

export interface GitOptions {
  /** Candidate paths of the git program, in order of preference. */
  readonly programs?: readonly string[];
  readonly limits?: Partial<GitLimits>;
  /** Parent directory for the temporary directory of each call. */
  readonly temporaryDirectory?: string;
  /** Directory with the git data of an executor's worktree; null for any other sandbox root. */
  readonly worktreesOf?: (sandboxRoot: string) => string | null;
}

/** Maximum characters of output given to the model. */
const MAX_CHARS = 30_000;

const LIMITS: GitLimits = { timeoutMs: 30_000, outputBytes: 4 * MAX_CHARS };

/** Maximum concurrent git calls. */
const AT_ONCE = { perSession: 2, perChannel: 4, inAll: 8 };

/** Creates the read-only git tool for the repositories of the sandbox root, which runs the system's git. */
export function createGitTool({
  programs = GIT_PROGRAMS,
  limits = {},
  temporaryDirectory = tmpdir(),
  worktreesOf = () => null,
}: GitOptions = {}): Tool {
  const queue = new CallQueue(AT_ONCE);
  const bounds = { ...LIMITS, ...limits };
  return defineTool({
    name: "git",
    description:
      "Inspects a git repository in the working directory: status, diff (also staged), log, show and blame. " +
      "It changes nothing and uses no network: there is no commit, checkout, fetch or push. " +
      "The repository's own configuration, hooks and filters have no effect; submodules are not inspected.",
    offer: {
      about: "Inspects a git repository; changes nothing.",
      arguments: {
        action: "",
        path: "Only this path; blame needs it.",
        revision: "A commit or tag; diff and log also take `a..b`, show a file as `HEAD~2:src/main.ts`.",
        staged: "diff: staged changes.",
        count: "log: default 20.",
      },
    },
    input: gitInput,
    permission: "read",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: "git", label: "reading git repositories" }),
    title: ({ action, revision = "", path }) => [action, revision, path].filter((part) => part !== "").join(" "),
    capabilities: () => ({ files: "read", hosts: [], clock: true, memoryMb: null, ...bounds }),
    execute: (input, ctx, signal) =>
      asResult(async () => {
        const wrong = optionProblem(input);
        if (wrong !== null) return errorResult(wrong);
        const program = findGit(programs);
        if (program === null) return errorResult(MISSING, "git is not installed");
        const { sessionId, channelKey } = ctx;
        const leave = await queue.enter({ sessionId, channelKey, signal, queued: (before) => ctx.queued(before) });
        try {
          const means = { program, bounds, signal, temporaryDirectory, worktreesOf };
          const end = await look(input, ctx, means).catch(notNow);
          return resultOf(input, end, { ...bounds, file: fileOf(input, ctx) });
        } finally {
          leave();
        }
      }),
  });
}

const MISSING =
  "git is not installed on the machine that Deckhand runs on, so this tool does not work. The other tools can still " +
  "read the files. An operator can install git with the system's package manager.";

/**
 * Refuses a call that the system failed: another git may remove files during the read, or no process can be started.
 */
function notNow(error: unknown): never {
  const code = refusedBySystem(error);
  if (code === null) throw error;
  throw new Refusal(
    `The repository cannot be read at the moment (${code}). Try again; if it fails again, continue without git and say so.`,
  );
}

interface Means extends Pick<Required<GitOptions>, "temporaryDirectory" | "worktreesOf"> {
  readonly program: string;
  readonly bounds: GitLimits;
  readonly signal: AbortSignal;
}

/** Finds the repository that contains a path, and the configuration adopted from it. */
async function find(
  asked: string,
  { sandboxRoot }: ToolContext,
  { git, worktreesOf }: { readonly git: RunGit } & Pick<Means, "worktreesOf">,
): Promise<FoundWorktree> {
  const stateDirectory = worktreesOf(sandboxRoot);
  if (stateDirectory !== null) return findWorktree(sandboxRoot, stateDirectory, asked);
  const found = refusing(asked, () => findRepository(sandboxRoot, asked));
  return { ...found, settings: await readSettings(found.repository, git) };
}

async function look(input: GitInput, ctx: ToolContext, means: Means): Promise<GitEnd> {
  const { program, bounds, signal } = means;
  const git = gitRunner(program, bounds, signal);
  const { repository, path, settings } = await find(input.path, ctx, { ...means, git });
  const end = await withStandIn(repository, { parent: means.temporaryDirectory, settings }, async (directory) => {
    const env = { GIT_DIR: directory, GIT_WORK_TREE: repository.top };
    const where = { cwd: repository.top, env, settings: settings.harmless };
    if (input.action === "status" || input.action === "diff") {
      const list = gitRunner(program, { ...bounds, outputBytes: INDEX_BYTES }, signal);
      const names = await list({ ...where, args: INDEX_NAMES });
      if (names.stopped === "time") return names;
      requireOwnPaths(names);
    }
    if (input.revision) await refuseUnnamedFiles(input.revision, git, where);
    const call: GitCall = { ...where, args: gitArguments(input, path) };
    if (input.action !== "blame" || input.revision) return git(call);
    // Without input, git would follow links to read the file to blame.
    return git({ ...call, input: presentFile(input.path, ctx) });
  });
  const why = end.code === 0 ? "" : missingHistory(end.stderr, repository);
  return why === "" ? end : { ...end, stderr: `${end.stderr.trim()}\n${why}` };
}

function presentFile(asked: string, ctx: ToolContext): Buffer {
  const path = relativePath(asked, ctx);
  using resolver = new PathResolver(ctx.sandboxRoot);
  return refusing(path, () => {
    const place = resolver.find(path);
    const content = withFile(place, path, (fd) => readWhole(fd, path));
    // The path may be a link to a secret file, so the resolved name is checked.
    createSecretGuard({})(place.relative, content, () => hashOf(content));
    return content;
  });
}

function resultOf(
  input: GitInput,
  { code, stdout, stderr, stopped }: GitEnd,
  { timeoutMs, file }: Pick<GitLimits, "timeoutMs"> & { readonly file: string },
): ToolResult {
  const seconds = `${timeoutMs / 1_000} s`;
  if (stopped === "time")
    return errorResult(
      `git was stopped after ${seconds}. To get less, ${NARROWER[input.action]}.`,
      `stopped after ${seconds}`,
    );
  if (code !== 0 && stopped === null)
    return errorResult(stderr.trim() || "git failed without an error message.", "failed");
  if (stdout.includes("\0")) return errorResult("This is a binary file; the git tool shows only text.", "binary");
  const isCut = stopped === "output" || stdout.length > MAX_CHARS;
  const shown = withoutCommittedSecrets(stdout.toWellFormed(), file);
  const text = shown.slice(0, MAX_CHARS).toWellFormed().trimEnd();
  if (isCut)
    return textResult(`${text}\n… cut after ${MAX_CHARS} characters. To get less, ${NARROWER[input.action]}.`, {
      summary: "cut",
    });
  const lines = text === "" ? 0 : text.split("\n").length;
  if (input.action === "status" && lines === 1)
    return textResult(`${text}\nNothing has changed.`, { summary: "clean" });
  if (lines === 0) return textResult(EMPTY[input.action], { summary: "nothing" });
  return textResult(text, { summary: counted(lines, "line") });
}

/** Path of the file whose content is printed; empty if the action prints something else. */
function fileOf({ action, path, revision = "" }: GitInput, ctx: ToolContext): string {
  if (action === "blame") return relativePath(path, ctx);
  const colon = revision.lastIndexOf(":");
  return action === "show" && colon !== -1 ? revision.slice(colon + 1) : "";
}

const NARROWER: Readonly<Record<GitInput["action"], string>> = {
  status: "give a path",
  diff: "give a path",
  log: "give a smaller count, or a path",
  show: "give a path",
  blame: "give the lines that matter, e.g. `10-40`",
};

const EMPTY: Readonly<Record<GitInput["action"], string>> = {
  status: "Nothing has changed.",
  diff: "There are no differences.",
  log: "No commits match.",
  show: "There is nothing to show.",
  blame: "The file is empty.",
};
