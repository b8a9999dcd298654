import { type Duplex, duplexPair } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileToAttach } from "./adapters/terminal/client/attached-file.ts";
import type { ChatIo, ChatOptions, ChatRequest } from "./adapters/terminal/client/chat.ts";
import { EXIT } from "./adapters/terminal/client/exit-codes.ts";
import { openSocket, socketPath } from "./adapters/terminal/socket.ts";
import { commandErrorLines } from "./cli/startup-error.ts";
import { secretsOf } from "./config/describe.ts";
import type { Environment } from "./config/sources.ts";
import type { Config } from "./config.ts";
import { systemCode } from "./core/protocol/system-code.ts";
import { createLogger } from "./operations/logging.ts";
import { STOP_WITHIN_MS } from "./operations/stop-times.ts";
import { systemRuntime } from "./runtime.ts";

/**
 * How long to wait for a process that has the database but does not answer, because it may be starting or ending. In
 * milliseconds.
 */
const REACH_WITHIN_MS = 15_000;
const REACH_AGAIN_MS = 200;

/** The streams and signals of this process. */
export function processIo(env: Environment): ChatIo {
  const { stdin, stdout, stderr } = process;
  return {
    stdin,
    stdout,
    stderr,
    hasColour: (env["NO_COLOR"] ?? "") === "" && env["TERM"] !== "dumb",
    onSignal: (take) => {
      for (const signal of ["SIGINT", "SIGHUP", "SIGTERM"] as const) process.on(signal, () => take(signal));
    },
  };
}

/** A conversation to hold, and the paths of further files for its first message. */
export interface ChatCall extends ChatRequest {
  readonly attached: readonly string[];
}

/**
 * Holds a conversation with the program running on this home or, if there is none, with one in this process. Resolves
 * to the exit code.
 */
export async function runChat(config: Config, { attached, ...request }: ChatCall, io: ChatIo): Promise<number> {
  const say = (line: string) => {
    io.stderr.write(`${line}\n`);
  };
  const read = await Promise.all(attached.map((file) => fileToAttach(file)));
  const problem = read.find((file) => typeof file === "string");
  if (problem !== undefined) {
    say(problem);
    return EXIT.failed;
  }
  const files = [...request.files, ...read.filter((file) => typeof file !== "string")];
  const own = new OwnProgram(config, say);
  const reach = () => reachProgram({ own, socket: socketOf(config), withinMs: REACH_WITHIN_MS, say });
  try {
    return await conversation({ request: { ...request, files }, io, reach });
  } finally {
    await own.stop();
  }
}

/** Errors that mean that the reader of the pipe or terminal is gone. Source: write(2). */
const READER_GONE: ReadonlySet<string | undefined> = new Set(["EPIPE", "EIO", "ECONNRESET"]);

async function conversation(options: ChatOptions): Promise<number> {
  const { request, io } = options;
  const unwritable = Promise.withResolvers<number>();
  for (const stream of [io.stdout, io.stderr]) {
    stream.on("error", (error) => {
      if (READER_GONE.has(systemCode(error))) return unwritable.resolve(EXIT.brokenPipe);
      if (stream === io.stdout)
        io.stderr.write(`✗ The answer cannot be written (${systemCode(error) ?? error.message}).\n`);
      unwritable.resolve(EXIT.failed);
    });
  }
  const talking =
    request.prompt === null
      ? (await import("./adapters/terminal/client/interactive.ts")).converse(options)
      : (await import("./adapters/terminal/client/one-shot.ts")).askOnce(options);
  return Promise.race([talking, unwritable.promise]);
}

function socketOf({ home, engine }: Config): string {
  return socketPath(home, engine === "dbos");
}

/** What `reachProgram` looks for: this process's own program, and another's socket. */
export interface Reaching {
  readonly own: Pick<OwnProgram, "attach" | "start">;
  readonly socket: string;
  /** How long to try while another process has the database. In milliseconds. */
  readonly withinMs: number;
  readonly say: (line: string) => void;
}

/** A stream to the running program, or to one started here; null after saying why there is none. */
export async function reachProgram({ own, socket, withinMs, say }: Reaching): Promise<Duplex | null> {
  const since = performance.now();
  for (;;) {
    const stream = own.attach() ?? (await openSocket(socket));
    if (stream !== null) return stream;
    const began = await own.start();
    if (began === "failed") return null;
    // A start of its own takes as long as it takes.
    if (began === "running") continue;
    if (performance.now() - since >= withinMs) break;
    await sleep(REACH_AGAIN_MS);
  }
  say(`✗ Another process is running on this database, but nothing listens at ${socket}. Is it on another machine?`);
  return null;
}

/** The program in this process, for the time of a conversation. It serves only terminals. */
class OwnProgram {
  readonly #config: Config;
  readonly #say: (line: string) => void;
  #attach: ((stream: Duplex) => void) | null = null;
  #stop: () => Promise<void> = () => Promise.resolve();

  constructor(config: Config, say: (line: string) => void) {
    this.#config = config;
    this.#say = say;
  }

  attach(): Duplex | null {
    if (this.#attach === null) return null;
    const [here, there] = duplexPair();
    this.#attach(there);
    return here;
  }

  /** Starts the program. `taken` means that another process runs on the database. */
  async start(): Promise<"running" | "taken" | "failed"> {
    const config = this.#config;
    const giveUp = new AbortController();
    // Log lines would mix with the conversation.
    const secrets = secretsOf(config);
    const log = createLogger("silent", secrets);
    const { startApp } = await import("./app.ts");
    try {
      const app = await startApp({
        config,
        runtime: systemRuntime(),
        log,
        secrets,
        serves: "terminals",
        standBy: () => giveUp.abort(),
        say: (line) => {
          if (!giveUp.signal.aborted) this.#say(line);
        },
        signal: giveUp.signal,
      });
      this.#attach = app.attach;
      this.#stop = async () => {
        giveUp.abort();
        await Promise.race([app.stop(), sleep(STOP_WITHIN_MS, undefined, { ref: false })]);
      };
      return "running";
    } catch (error) {
      if (giveUp.signal.aborted) return "taken";
      for (const line of commandErrorLines(error)) this.#say(line);
      return "failed";
    }
  }

  async stop(): Promise<void> {
    this.#attach = null;
    await this.#stop();
  }
}
