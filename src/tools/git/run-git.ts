import { type ChildProcessByStdio, spawn } from "node:child_process";
import { addAbortListener, once } from "node:events";
import { accessSync, constants } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** Where systems install git. The bot's own PATH is ignored. */
export const GIT_PROGRAMS: readonly string[] = [
  "/usr/bin/git",
  "/usr/local/bin/git",
  "/opt/homebrew/bin/git",
  "/run/current-system/sw/bin/git",
];

/** A path that exists on no system. */
const NOWHERE = "/nonexistent";

/** Git's whole environment: no system or personal configuration, no programs to find, no prompts, no network. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: NOWHERE,
  HOME: NOWHERE,
  XDG_CONFIG_HOME: NOWHERE,
  LC_ALL: "C.UTF-8",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_SYSTEM: "/dev/null",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_ATTR_NOSYSTEM: "1",
  GIT_TERMINAL_PROMPT: "0",
  GIT_OPTIONAL_LOCKS: "0",
  GIT_NO_LAZY_FETCH: "1",
  GIT_NO_REPLACE_OBJECTS: "1",
  GIT_LITERAL_PATHSPECS: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_PAGER: "cat",
  /** Maximum size of one allocation; an object that unpacks to more ends the call. */
  GIT_ALLOC_LIMIT: "512m",
};

/** Settings that hold even if git should read a configuration after all. */
const SETTINGS: readonly (readonly [string, string])[] = [
  ["core.fsmonitor", "false"],
  ["core.hooksPath", "/dev/null"],
  ["core.attributesFile", "/dev/null"],
  ["core.excludesFile", "/dev/null"],
  ["core.pager", "cat"],
  ["core.quotePath", "false"],
  ["core.bigFileThreshold", "16m"],
  ["diff.external", ""],
  ["diff.submodule", "short"],
  ["protocol.allow", "never"],
  ["submodule.recurse", "false"],
  ["log.showSignature", "false"],
];

export interface GitCall {
  readonly args: readonly string[];
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly settings?: readonly (readonly [name: string, value: string])[];
  /** Git's standard input. */
  readonly input?: Uint8Array;
}

export interface GitEnd {
  /** Null if git was stopped. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Which limit stopped git before its end, if any. */
  readonly stopped: "output" | "time" | null;
}

export type RunGit = (call: GitCall) => Promise<GitEnd>;

export interface GitLimits {
  /** Time limit of each run of git. */
  readonly timeoutMs: number;
  /** Maximum bytes of standard output; git is stopped when it writes more. */
  readonly outputBytes: number;
}

/** Maximum bytes of standard error to keep. */
const ERROR_BYTES = 4_096;

/** The first executable program; null if none is. */
export function findGit(programs: readonly string[]): string | null {
  return programs.find(isExecutable) ?? null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns a function that runs git as a child, killed when it passes a limit or the signal aborts. The function throws
 * the signal's reason, or the system's error if no process can be started.
 */
export function gitRunner(program: string, limits: GitLimits, signal: AbortSignal): RunGit {
  return async ({ args, cwd = "/", env = {}, settings = [], input }) => {
    signal.throwIfAborted();
    const child = spawn(program, ["--no-pager", "--no-replace-objects", ...args], {
      cwd,
      env: { ...ENVIRONMENT, ...settingsAsEnvironment([...settings, ...SETTINGS]), ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const kill = (): void => void child.kill("SIGKILL");
    using _ = addAbortListener(signal, kill);
    try {
      const end = await endOf(child, limits, input);
      signal.throwIfAborted();
      return end;
    } finally {
      kill();
    }
  };
}

/**
 * Encodes settings as environment variables, which git reads since 2.31 and whose values need no quoting. Later
 * settings win.
 */
function settingsAsEnvironment(settings: readonly (readonly [string, string])[]): Record<string, string> {
  const pairs = settings.flatMap(([name, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, name] as const,
    [`GIT_CONFIG_VALUE_${index}`, value] as const,
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

async function endOf(child: Child, limits: GitLimits, input: Uint8Array | undefined): Promise<GitEnd> {
  const closed = once(child, "close");
  if (child.pid === undefined) await closed; // rejects, since a process that was not started may lack streams
  let stopped: GitEnd["stopped"] = null;
  const stop = (reason: "output" | "time"): void => {
    stopped ??= reason;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => stop("time"), limits.timeoutMs);
  const stdout = collect(child.stdout, limits.outputBytes, () => stop("output"));
  const stderr = collect(child.stderr, ERROR_BYTES, () => {});
  child.stdin.on("error", () => {}); // git may exit before it has read all input
  child.stdin.end(input);
  try {
    const [code] = await closed;
    return { code: typeof code === "number" ? code : null, stdout: stdout(), stderr: stderr(), stopped };
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the first bytes of a stream, and calls `onMore` when it delivers more. */
function collect(stream: Readable, maxBytes: number, onMore: () => void): () => string {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on("data", (data: Buffer) => {
    const remaining = maxBytes - size;
    if (data.length > remaining) onMore();
    parts.push(data.subarray(0, remaining));
    size += Math.min(data.length, remaining);
  });
  return () => Buffer.concat(parts).toString("utf8");
}
