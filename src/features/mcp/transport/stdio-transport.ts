import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { statSync } from "node:fs";
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  serializeMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import { AppError } from "../../../core/protocol/errors.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { systemCode } from "../../../core/protocol/system-code.ts";
import { waitAtMost } from "../../../core/wait-at-most.ts";
import { NoDirectory } from "../call-failure.ts";
import type { McpCommandServer } from "../server-settings.ts";
import { Lines, MAX_MESSAGE_BYTES } from "./lines.ts";
import type { Reaper } from "./reaper.ts";
import { tidiedMessages } from "./tidy-message.ts";

/** A server that sends a larger message, or leaves more input unread, is stopped. */
const MOST = `${MAX_MESSAGE_BYTES / 1_000_000} MB`;

/** The start of a JSON-RPC message within a line. */
const MESSAGE = /(?<!\[)\{\s*"(?:jsonrpc|id|method|result|error)"\s*:/;

/** Characters of the end of stderr kept for the log. */
const STDERR_CHARS = 4_000;

/** Milliseconds to read the last output of an ended program, whose own children may keep its pipes open. */
const LAST_WORDS_MS = 250;

/** Milliseconds that a child gets to end by itself after its input is closed, and then after SIGTERM. */
const CLOSE_MS = 500;
const TERM_MS = 2_000;

export interface ProcessScope {
  /** The part of the bot's environment that a server's program gets, beside its own `env`. */
  readonly environment: Readonly<Record<string, string>>;
  readonly clock: Clock;
  /** Ends the servers' programs if the bot itself is killed. */
  readonly reaper: Reaper;
}

/**
 * A server as a child process. Replaces the SDK's transport: the environment is exactly as given, the child leads a
 * process group so that its own children end with it, and how it ended can be read.
 */
export class StdioTransport implements Transport {
  readonly #server: McpCommandServer;
  readonly #options: ProcessScope;
  readonly #lines = new Lines();
  #child: ChildProcessWithoutNullStreams | null = null;
  #exited: Promise<void> = Promise.resolve();
  #closing: Promise<void> | null = null;
  #stderr = "";
  #ending = "";
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;

  constructor(server: McpCommandServer, options: ProcessScope) {
    this.#server = server;
    this.#options = options;
  }

  /** How the child ended, e.g. `exit code 1`; empty while it runs. */
  get ending(): string {
    return this.#ending;
  }

  /** The end of the child's stderr. For operators only, since it may contain anything. */
  get stderr(): string {
    return this.#stderr;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    const server = this.#server;
    const { cwd = "." } = server;
    if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) throw new NoDirectory();
    const env = { ...this.#options.environment, ...server.env };
    const child = spawn(server.command, server.args ?? [], {
      env,
      cwd,
      detached: !WINDOWS,
      windowsHide: true,
    });
    this.#child = child;
    if (child.pid !== undefined) this.#options.reaper.watch(child.pid);
    this.#exited = new Promise((resolve) => {
      child.once("error", () => resolve());
      child.once("exit", (code, signal) => resolve(this.#end(child, signal === null ? `exit code ${code}` : signal)));
    });
    child.stdout.on("data", (chunk: Buffer) => this.#read(chunk));
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.#stderr = `${this.#stderr}${text}`.slice(-STDERR_CHARS);
    });
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on("error", (error) => this.onerror?.(error));
    }
    await once(child, "spawn");
    child.on("error", (error) => this.onerror?.(error));
  }

  /** Resolves when the child can take more. */
  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin;
    if (stdin === undefined || !stdin.writable) throw new AppError("network", "the server's input is closed");
    if (stdin.writableLength > MAX_MESSAGE_BYTES) this.#stop(`it left more than ${MOST} unread`);
    else if (!stdin.write(serializeMessage(message))) await Promise.race([once(stdin, "drain"), this.#exited]);
  }

  /** Resolves when the child and its process group are gone. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return;
    child.stdin.end();
    for (const [ms, signal] of [
      [CLOSE_MS, "SIGTERM"],
      [TERM_MS, "SIGKILL"],
    ] as const) {
      await waitAtMost(ms, this.#exited, this.#options.clock);
      if (this.#ending === "") signalGroup(child.pid, signal);
    }
    await this.#exited;
  }

  /** Kills whatever the child started, and reads its last output, which may hold the reason or an answer. */
  async #end(child: ChildProcessWithoutNullStreams, ending: string): Promise<void> {
    if (this.#ending === "") this.#ending = ending;
    const closed = new Promise<void>((resolve) => child.once("close", () => resolve()));
    if (child.pid !== undefined) {
      signalGroup(child.pid, "SIGKILL");
      this.#options.reaper.forget(child.pid);
    }
    await waitAtMost(LAST_WORDS_MS, closed, this.#options.clock);
    for (const stream of [child.stdout, child.stderr, child.stdin]) stream.destroy();
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    try {
      for (const line of this.#lines.take(chunk)) this.#deliver(line);
    } catch (error) {
      this.#stop(`it sent a message of more than ${MOST}`);
      this.#report(error);
    }
  }

  /**
   * Delivers the messages of a line and skips other output. Text that the program prints before a message may not end
   * with a line feed.
   */
  #deliver(line: string): void {
    const messages = tidiedMessages(line) ?? tidiedMessages(line.slice(Math.max(line.search(MESSAGE), 0)));
    for (const message of messages ?? []) {
      try {
        this.onmessage?.(parseJSONRPCMessage(message));
      } catch (error) {
        this.#report(error);
      }
    }
  }

  #stop(ending: string): void {
    this.#ending = ending;
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, "SIGKILL");
  }

  #report(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new AppError("network", String(error)));
  }
}

const WINDOWS = process.platform === "win32";

/** Signals the whole group, or on Windows only the child. A group that is already gone is ignored. */
function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(WINDOWS ? pid : -pid, signal);
  } catch (error) {
    if (["ESRCH", "EPERM"].includes(systemCode(error) ?? "")) return;
    throw error;
  }
}
