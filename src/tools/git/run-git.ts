import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { accessSync, constants } from "node:fs";
import type { Readable, Writable } from "node:stream";

/** Where systems keep git. The bot's own PATH does not count. */
export const GIT_PROGRAMS: readonly string[] = [
  "/usr/bin/git",
  "/usr/local/bin/git",
  "/opt/homebrew/bin/git",
  "/run/current-system/sw/bin/git",
];

/** Exists on no system. */
const NOWHERE = "/nonexistent";

/** All of git's environment: no system or personal configuration, no programs to find, nobody to ask, no network. */
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
  /** The size of one allocation: an object that unpacks to more ends the call. */
  GIT_ALLOC_LIMIT: "512m",
};

/** Holds also if git were to read a configuration after all. */
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
  /** What git reads from its standard input. */
  readonly input?: Uint8Array;
}

export interface GitEnd {
  /** Null when git was stopped. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why git was stopped before its end, if it was. */
  readonly stopped: "output" | "time" | null;
}

export type RunGit = (call: GitCall) => Promise<GitEnd>;

export interface GitLimits {
  /** How long each run of git may take. */
  readonly timeoutMs: number;
  /** Bytes of standard output; git is stopped at the first one beyond. */
  readonly outputBytes: number;
}

/** Bytes of standard error that are kept. */
const ERROR_BYTES = 4_096;

/** The first program that can be run; null when there is none. */
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

/** Runs git as a child that a passed limit or the signal kills. Throws the signal's reason, and the system's where it starts none. */
export function gitRunner(program: string, limits: GitLimits, signal: AbortSignal): RunGit {
  return async ({ args, cwd = "/", env = {}, settings = [], input }) => {
    signal.throwIfAborted();
    const child = spawn(program, ["--no-pager", "--no-replace-objects", ...args], {
      cwd,
      env: { ...ENVIRONMENT, ...settingsAsEnvironment([...settings, ...SETTINGS]), ...env },
      stdio: ["pipe", "pipe", "pipe"],
    });
    const kill = (): void => void child.kill("SIGKILL");
    signal.addEventListener("abort", kill, { once: true });
    try {
      const end = await endOf(child, limits, input);
      signal.throwIfAborted();
      return end;
    } finally {
      signal.removeEventListener("abort", kill);
      kill();
    }
  };
}

/** As git takes them since 2.31: values need no quoting. Later ones win. */
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
  if (child.pid === undefined) await closed; // rejects: what was not started may have no streams either
  let stopped: GitEnd["stopped"] = null;
  const stop = (reason: "output" | "time"): void => {
    stopped ??= reason;
    child.kill("SIGKILL");
  };
  const timer = setTimeout(() => stop("time"), limits.timeoutMs);
  const stdout = collect(child.stdout, limits.outputBytes, () => stop("output"));
  const stderr = collect(child.stderr, ERROR_BYTES, () => {});
  child.stdin.on("error", () => {}); // git may end without having read it all
  child.stdin.end(input);
  try {
    const [code] = await closed;
    return { code: typeof code === "number" ? code : null, stdout: stdout(), stderr: stderr(), stopped };
  } finally {
    clearTimeout(timer);
  }
}

/** Keeps the first bytes of a stream, and tells when there are more. */
function collect(stream: Readable, maxBytes: number, onMore: () => void): () => string {
  const parts: Buffer[] = [];
  let size = 0;
  stream.on("data", (data: Buffer) => {
    const room = maxBytes - size;
    if (data.length > room) onMore();
    parts.push(data.subarray(0, room));
    size += Math.min(data.length, room);
  });
  return () => Buffer.concat(parts).toString("utf8");
}
