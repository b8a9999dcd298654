import { Bash, type BashExecResult, InMemoryFs, MountableFs } from "just-bash/browser";
import { outputOf } from "../runtime/overflow.ts";
import { processOf } from "../runtime/program.ts";
import { seedRandom } from "../runtime/random.ts";
import { bytesOfLatin1 } from "../runtime/text-encoding.ts";
import { FileError, type Filesystem, openFilesystem } from "../workspace-files.ts";
import { bindingOf } from "./binding.ts";
import { COMMANDS } from "./commands.ts";
import { deviceBytes } from "./files/devices.ts";
import { whole } from "./locale.ts";
import type { BashBinding, BashReply, BashRequest } from "./request.ts";
import { keptEnv } from "./shell-env.ts";
import { programEnded, stopSignal, TIMED_OUT, withoutEnd } from "./stop-signal.ts";
import { type ReadGuard, WorkspaceFs } from "./workspace-fs.ts";

/** Path at which the shell sees the sandbox root; the tools accept paths beneath it, too. */
const ROOT = "/workspace";
/** Maximum number of commands per call, counting each iteration of a loop; some seconds of work. */
const MAX_COMMANDS = 50_000;
/** Maximum number of items that one command processes: records of awk, searched lines, numbers of `seq`. */
const MAX_PIECES = 10_000_000;
/** Maximum number of words from one brace expansion. */
const MAX_WORDS = 1_000_000;
/** A path at which no file can exist. */
const NOWHERE = "/\0";
/** The device that discards all writes. */
const NOTHING = "/dev/null";
/** Maximum size of the output, in bytes, because it is held in memory until the end. */
const MAX_PRINTED = 8_388_608;
const CHANGED =
  "Not run: the working directory, a variable or a script that it executes has changed since it was allowed. Call again, so that people see it as it is now.";

async function run(input: string): Promise<string> {
  const request: BashRequest = JSON.parse(input);
  seedRandom(request.seed);
  const notes = new Set<string>();
  const files = openFilesystem(
    (path) => `${ROOT}/${path}`,
    (sentence) => notes.add(sentence),
  );
  const cwd = isDirectory(files, request.cwd) ? request.cwd : "";
  if (cwd !== request.cwd) notes.add(`${ROOT}/${request.cwd} no longer exists; the command ran in ${ROOT}.`);
  const binding = request.looks || request.bound !== null ? bindingOf({ ...request, cwd }, files) : null;
  if (request.looks) return JSON.stringify(binding);
  if (binding !== null && binding.digest !== request.bound) return JSON.stringify({ refused: CHANGED });
  const guarded = guardOf(binding, files, (sentence) => notes.add(sentence));
  const shell = openShell(new WorkspaceFs(files, (sentence) => notes.add(sentence), guarded), { ...request, cwd });
  const signal = stopSignal(request.timeoutMs);
  const ended = await execute(shell, request.command, signal);
  const isCut = ended.exitCode === TIMED_OUT;
  const timedOut = programEnded() === "late" || (isCut && ended.stderr.includes("execution deadline"));
  const stopped = programEnded() === "stopped" || (isCut && signal.aborted);
  const stderr = timedOut || stopped ? withoutEnd(ended.stderr) : ended.stderr;
  const printed = (text: string, name: string) =>
    outputOf(text, { maxChars: request.maxChars, path: `${request.overflow}-${name}.txt`, files });
  const reply: BashReply = {
    exitCode: ended.exitCode,
    stdout: printed(ended.stdout, "stdout"),
    stderr: printed(plainErrors(stderr), "stderr"),
    cwd: inner(ended.env.PWD ?? ROOT),
    env: keptEnv(ended.env),
    notes: [...notes],
    timedOut,
    stopped,
  };
  return JSON.stringify(reply);
}

/** Refuses reads of allowed scripts whose content has changed since the approval, even during the run. */
function guardOf(binding: BashBinding | null, files: Filesystem, note: (sentence: string) => void): ReadGuard {
  const allowed = binding?.files ?? {};
  return (path, content) => {
    if (!Object.hasOwn(allowed, path) || allowed[path] === files.digest("SHA-256", content)) return;
    note(`${ROOT}/${path} has changed since this was allowed, and was not read. Run it in a separate call.`);
    throw new FileError("EACCES", { call: "open", path });
  };
}

function isDirectory(files: Filesystem, path: string): boolean {
  try {
    return files.status(path, true).kind === "directory";
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}

/** Files in memory, with /dev/null, which discards writes, and endless devices. */
class Surroundings extends InMemoryFs {
  constructor() {
    super({ "/dev/random": "", "/dev/urandom": "" });
  }

  /** The files that stand for commands are executable. */
  override async stat(path: string): ReturnType<InMemoryFs["stat"]> {
    const status = await super.stat(path);
    return /^\/(?:usr\/)?bin\//.test(path) ? { ...status, mode: 0o755 } : status;
  }

  override async readFileBuffer(path: string): Promise<Uint8Array> {
    const made = deviceBytes(path, null);
    return made === null ? super.readFileBuffer(path) : bytesOfLatin1(made);
  }

  override async writeFile(...given: Parameters<InMemoryFs["writeFile"]>): Promise<void> {
    if (given[0] !== NOTHING) await super.writeFile(...given);
  }

  override async appendFile(...given: Parameters<InMemoryFs["appendFile"]>): Promise<void> {
    if (given[0] !== NOTHING) await super.appendFile(...given);
  }
}

class Mounted extends MountableFs {
  readonly #isFile: (path: string) => boolean;

  constructor(workspace: WorkspaceFs) {
    super({ base: BASE, mounts: [{ mountPoint: ROOT, filesystem: workspace }] });
    this.#isFile = (path) => workspace.isFile(inner(path));
  }

  /** An empty path names no file, although it is within a directory; nor does a file's name with a slash behind it. */
  override resolvePath(base: string, path: string): string {
    if (path === "") return NOWHERE;
    const found = super.resolvePath(base, whole(path));
    return path.endsWith("/") && found.startsWith(`${ROOT}/`) && this.#isFile(found) ? NOWHERE : found;
  }

  override async exists(path: string): Promise<boolean> {
    return path !== NOWHERE && super.exists(path);
  }

  /** The target as the shell names it; the workspace names it from its own root. */
  override async readlink(path: string): Promise<string> {
    const target = await super.readlink(path);
    return path.startsWith(`${ROOT}/`) ? `${ROOT}${target}` : target;
  }
}

/** The shell's own /bin, /dev, /proc and /tmp outside the sandbox root, in memory. Created while the guest is built. */
const BASE = new Bash({ fs: new Surroundings(), customCommands: [...COMMANDS], defenseInDepth: false }).fs;

function openShell(workspace: WorkspaceFs, { cwd, env, timeoutMs }: BashRequest): Bash {
  return new Bash({
    fs: new Mounted(workspace),
    cwd: cwd === "" ? ROOT : `${ROOT}/${cwd}`,
    env: { HOME: ROOT, SHLVL: "1", ...env },
    customCommands: [...COMMANDS],
    defenseInDepth: false,
    executionLimits: {
      maxExecutionTimeMs: timeoutMs,
      maxCommandCount: MAX_COMMANDS,
      maxLoopIterations: MAX_PIECES,
      maxAwkIterations: MAX_PIECES,
      maxBraceExpansionResults: MAX_WORDS,
      maxOutputSize: MAX_PRINTED,
    },
  });
}

/** Runs the command; a file error that escapes the shell ends the script and is reported as an error of bash. */
async function execute(shell: Bash, command: string, signal: AbortSignal): Promise<BashExecResult> {
  try {
    return await shell.exec(command, { rawScript: true, signal });
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return {
      stdout: "",
      stderr: `bash: ${error.message}\n`,
      exitCode: 1,
      env: { ...shell.getEnv(), PWD: shell.getCwd() },
    };
  }
}

/** Replaces messages particular to just-bash by the usual messages of bash. */
function plainErrors(stderr: string): string {
  return stderr
    .replace(/command not available in browser environments\. .*/g, "command not found")
    .replace(/, increase executionLimits\.\w+/g, "");
}

/** Path relative to the sandbox root; empty for paths outside it, such as /tmp, which do not outlast the call. */
function inner(path: string): string {
  return path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : "";
}

export const process = processOf(run);
