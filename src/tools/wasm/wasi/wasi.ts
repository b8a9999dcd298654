import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import { z } from "zod";
import type { Ask } from "../child/http-import.ts";
import type { FilesystemImport } from "../workspace/filesystem.ts";
import { Descriptor, DirectoryEntryStream, type FileAccess, saveOrNote } from "./descriptor.ts";
import { createHttp } from "./http/http.ts";
import { MAX_HELD } from "./open-file.ts";
import { bytesStream, InputStream, IoError, OutputStream, Pollable, poll } from "./streams.ts";
import { ProgramExit } from "./wasi-failure.ts";

/** Arguments, input and access with which a program is started. */
export const programStartSchema = z.object({
  /** Without the program's own name. */
  args: z.array(z.string()),
  stdin: z.string(),
  /** Whether the program gets the directory. */
  files: z.boolean(),
});
export type ProgramStart = z.infer<typeof programStartSchema>;

/** How a program ended. The output streams are in base64. */
export const programEndSchema = z.object({
  code: z.number(),
  stdout: z.string(),
  stderr: z.string(),
  /** True if the program wrote more than the limit allows. */
  cut: z.boolean(),
});
export type ProgramEnd = z.infer<typeof programEndSchema>;

export interface ProgramBounds {
  readonly writable: boolean;
  readonly outputBytes: number;
}

/** WASI 0.2 for one run of one program: its arguments, streams, clocks, random numbers, and one directory as `/`. */
export interface Wasi {
  readonly imports: Readonly<Record<string, object>>;
  /** Runs the component's `wasi:cli/run` and returns a text for `programEndSchema`. */
  run(program: { run(): void }, start: ProgramStart, bounds: ProgramBounds): string;
}

const PROGRAM_NAME = "tool";

/** Share of the output limit available to text; the rest is for base64 and JSON. */
const OUTPUT_SHARE = 0.7;

interface ProgramIo {
  readonly args: readonly string[];
  /** Null for a program without files. */
  readonly files: FileAccess | null;
  readonly stdin: InputStream;
  readonly stdout: Sink;
  readonly stderr: Sink;
}

/**
 * Creates the imports of an instance. They are needed before its program's start is known, so arguments and streams are
 * set later; a component that is no program has none, and its output is in no result. `printed` receives everything
 * written, since an interrupted call has nothing else to show.
 */
export function createWasi(filesystem: FilesystemImport, ask: Ask, printed: (bytes: Uint8Array) => void): Wasi {
  let running: ProgramIo = {
    args: [],
    files: null,
    stdin: bytesStream(new Uint8Array()),
    stdout: new Sink(null, printed),
    stderr: new Sink(null, printed),
  };
  const now = (): ProgramIo => running;
  const http = createHttp(ask, (sentence) => now().stderr.push(Buffer.from(`${sentence}\n`)));
  return {
    imports: { ...cli(now), ...FILESYSTEM, ...directories(now), ...IO, ...clocks(), ...random(), ...http },
    run: (program, { args, stdin, files: hasFiles }, { writable, outputBytes }) => {
      const budget = { left: Math.floor(outputBytes * OUTPUT_SHARE) };
      const [stdout, stderr] = [new Sink(budget, printed), new Sink(budget, printed)];
      const held = { left: MAX_HELD };
      const files: FileAccess = { filesystem, held, writable, open: new Set(), unsaved: [] };
      running = { args, files: hasFiles ? files : null, stdin: bytesStream(Buffer.from(stdin)), stdout, stderr };
      const code = codeOf(program);
      for (const file of files.open) saveOrNote(file, files);
      for (const line of files.unsaved) stderr.push(Buffer.from(`${line}\n`));
      const end: ProgramEnd = {
        code: code === 0 && files.unsaved.length > 0 ? 1 : code,
        stdout: stdout.base64(),
        stderr: stderr.base64(),
        cut: stdout.full || stderr.full,
      };
      return JSON.stringify(end);
    },
  };
}

/** A program ends by returning, by returning an error or by calling exit. Anything else is a trap and is rethrown. */
function codeOf(program: { run(): void }): number {
  try {
    program.run();
    return 0;
  } catch (error) {
    if (error instanceof ProgramExit) return error.exitCode;
    if (error instanceof Error && error.constructor.name === "ComponentError") return 1;
    throw error;
  }
}

/**
 * Collects what a program writes, up to a number of bytes shared by both streams. Without a budget it keeps nothing.
 */
class Sink {
  readonly #budget: { left: number } | null;
  readonly #printed: (bytes: Uint8Array) => void;
  readonly #parts: Buffer[] = [];
  full = false;

  constructor(budget: { left: number } | null, printed: (bytes: Uint8Array) => void) {
    this.#budget = budget;
    this.#printed = printed;
  }

  stream(): OutputStream {
    return new OutputStream((bytes) => this.push(bytes));
  }

  /** False if no more fits. */
  push(bytes: Uint8Array): boolean {
    this.#printed(bytes);
    if (this.#budget === null) return true;
    if (bytes.length > this.#budget.left) this.full = true;
    const fitting = Buffer.from(bytes.subarray(0, this.#budget.left));
    this.#budget.left -= fitting.length;
    this.#parts.push(fitting);
    return !this.full;
  }

  base64(): string {
    return Buffer.concat(this.#parts).toString("base64");
  }
}

/** Never instantiated, since there is no terminal. */
class Terminal {
  readonly isTerminal = true;
}

function cli(now: () => ProgramIo): Record<string, object> {
  const none = (): undefined => undefined;
  return {
    "wasi:cli/environment": {
      getEnvironment: () => [],
      getArguments: () => [PROGRAM_NAME, ...now().args],
      initialCwd: () => "/",
    },
    "wasi:cli/exit": {
      exit: ({ tag }: { tag: "ok" | "err" }) => {
        throw new ProgramExit(tag === "ok" ? 0 : 1);
      },
      exitWithCode: (code: number) => {
        throw new ProgramExit(code);
      },
    },
    "wasi:cli/stdin": { getStdin: () => now().stdin },
    "wasi:cli/stdout": { getStdout: () => now().stdout.stream() },
    "wasi:cli/stderr": { getStderr: () => now().stderr.stream() },
    "wasi:cli/terminal-input": { TerminalInput: Terminal },
    "wasi:cli/terminal-output": { TerminalOutput: Terminal },
    "wasi:cli/terminal-stdin": { getTerminalStdin: none },
    "wasi:cli/terminal-stdout": { getTerminalStdout: none },
    "wasi:cli/terminal-stderr": { getTerminalStderr: none },
  };
}

/** The code of a file error; other codes are objects and give undefined. */
function filesystemErrorCode({ payload }: IoError): string | undefined {
  return typeof payload === "string" ? payload : undefined;
}

const FILESYSTEM = {
  "wasi:filesystem/types": { Descriptor, DirectoryEntryStream, filesystemErrorCode },
};

const IO = {
  "wasi:io/error": { Error: IoError },
  "wasi:io/poll": { Pollable, poll },
  "wasi:io/streams": { InputStream, OutputStream },
};

function directories(now: () => ProgramIo): Record<string, object> {
  const given = ({ files }: ProgramIo): [Descriptor, string][] => {
    if (files === null) return [];
    const flags = { read: true, write: false, mutateDirectory: files.writable };
    return [[new Descriptor(files, { path: "", file: null, flags }), "/"]];
  };
  return { "wasi:filesystem/preopens": { getDirectories: () => given(now()) } };
}

function clocks(): Record<string, object> {
  const inMs = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;
  const after = (ms: number): Pollable => {
    const at = performance.now() + ms;
    return new Pollable(() => at);
  };
  const wallClock = () => {
    const ms = Date.now();
    return { seconds: BigInt(Math.floor(ms / 1_000)), nanoseconds: (ms % 1_000) * 1e6 };
  };
  return {
    "wasi:clocks/monotonic-clock": {
      now: () => process.hrtime.bigint(),
      resolution: () => 1n,
      subscribeDuration: (duration: bigint) => after(inMs(duration)),
      subscribeInstant: (instant: bigint) => after(inMs(instant - process.hrtime.bigint())),
    },
    "wasi:clocks/wall-clock": { now: wallClock, resolution: () => ({ seconds: 0n, nanoseconds: 1e6 }) },
  };
}

/** Maximum bytes of one request for random numbers. */
const MAX_RANDOM = 1_048_576;

function random(): Record<string, object> {
  const bytes = (count: bigint): Uint8Array => Uint8Array.from(randomBytes(Math.min(Number(count), MAX_RANDOM)));
  const u64 = (): bigint => randomBytes(8).readBigUInt64LE();
  return {
    "wasi:random/random": { getRandomBytes: bytes, getRandomU64: u64 },
    "wasi:random/insecure": { getInsecureRandomBytes: bytes, getInsecureRandomU64: u64 },
    "wasi:random/insecure-seed": { insecureSeed: () => [u64(), u64()] },
  };
}

/** The WASI 0.2 interfaces that programs may import. */
export const WASI_INTERFACES: readonly string[] = [
  "wasi:cli/environment",
  "wasi:cli/exit",
  "wasi:cli/stdin",
  "wasi:cli/stdout",
  "wasi:cli/stderr",
  "wasi:cli/terminal-input",
  "wasi:cli/terminal-output",
  "wasi:cli/terminal-stdin",
  "wasi:cli/terminal-stdout",
  "wasi:cli/terminal-stderr",
  "wasi:clocks/monotonic-clock",
  "wasi:clocks/wall-clock",
  "wasi:filesystem/preopens",
  "wasi:filesystem/types",
  "wasi:http/outgoing-handler",
  "wasi:http/types",
  "wasi:io/error",
  "wasi:io/poll",
  "wasi:io/streams",
  "wasi:random/insecure",
  "wasi:random/insecure-seed",
  "wasi:random/random",
];
