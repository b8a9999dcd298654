import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { setTimeout as delay, setImmediate as nextTurn } from "node:timers/promises";
import type { HttpReply, Part, Reply, ScriptedUsage, StopReason } from "./model-script.ts";
import { text } from "./model-script.ts";

export interface RecordedRequest {
  readonly index: number;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  /** Milliseconds since the Unix epoch. */
  readonly arrivedAt: number;
  /** Text of the newest user message. */
  readonly lastUserText: string;
  /** Tool results in the newest user message, in order. */
  readonly toolResults: readonly ToolResultSeen[];
  /** Resolves when the answer has ended, with how it ended. */
  readonly ended: Promise<"complete" | "aborted">;
}

export interface ToolResultSeen {
  readonly id: string;
  readonly text: string;
  readonly isError: boolean;
}

export type Script = (request: RecordedRequest, index: number) => Reply;

export interface ModelServer extends AsyncDisposable {
  readonly url: string;
  /** In order of arrival, including rejected ones. */
  readonly requests: readonly RecordedRequest[];
  /** Everything that a strict provider would have rejected. Tests assert that it is empty. */
  readonly violations: readonly string[];
  script(script: Script): void;
  /** The `index`-th request, counted from 0; resolves once it has arrived. */
  request(index: number): Promise<RecordedRequest>;
  /** Forgets all requests. */
  forget(): void;
  close(): Promise<void>;
}

/** Encodes a script for one API. Each answer has its own encoder. */
export interface Encoder {
  begin(usage: Required<ScriptedUsage>): string;
  text(chunk: string): string;
  part(part: Extract<Part, { type: "thinking" | "redacted_thinking" | "tool_use" }>): string;
  ping(): string;
  fail(errorType: string, message: string): string;
  end(reason: StopReason, usage: Required<ScriptedUsage>): string;
}

export interface Dialect {
  readonly path: string;
  /** What a strict provider would reject in the request. */
  problems(headers: IncomingHttpHeaders, body: unknown): readonly string[];
  seen(body: unknown): Pick<RecordedRequest, "lastUserText" | "toolResults">;
  encoder(body: unknown): Encoder;
  errorBody(errorType: string, message: string): unknown;
}

export interface ModelServerOptions {
  readonly dialects: readonly Dialect[];
  /** Response to `GET …/models`. */
  readonly models: unknown;
  /** If set, requests with another key get 401. */
  readonly key?: string | undefined;
  /** Appended to the origin for `url`. */
  readonly basePath: string;
}

/** Starts a local server that streams scripted answers as real server-sent events, and rejects malformed requests. */
export async function startModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const requests: RecordedRequest[] = [];
  const violations: string[] = [];
  const waiting = new Map<number, PromiseWithResolvers<RecordedRequest>>();
  let script: Script = () => text("Hello from the scripted model.");

  async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const path = new URL(incoming.url ?? "/", "http://localhost").pathname;
    if (incoming.method === "GET" && path.endsWith("/models")) return sendJson(outgoing, 200, options.models);
    const dialect = options.dialects.find((each) => each.path === path);
    if (dialect === undefined) return sendJson(outgoing, 404, { error: { message: `no ${path} here` } });
    const body: unknown = JSON.parse(await bodyOf(incoming));
    const request = record({ dialect, incoming, outgoing, body, path });
    if (options.key !== undefined && !carriesKey(incoming.headers, options.key)) {
      return sendJson(outgoing, 401, dialect.errorBody("authentication_error", "invalid x-api-key"));
    }
    const problems = dialect.problems(incoming.headers, body);
    if (problems.length > 0) {
      violations.push(...problems.map((problem) => `request ${request.index}: ${problem}`));
      return sendJson(outgoing, 400, dialect.errorBody("invalid_request_error", problems.join("; ")));
    }
    return reply(script(request, request.index), { dialect, outgoing, body });
  }

  function record({ dialect, incoming, outgoing, body, path }: Received): RecordedRequest {
    const ended = new Promise<"complete" | "aborted">((resolve) => {
      outgoing.once("close", () => resolve(outgoing.writableFinished ? "complete" : "aborted"));
    });
    const index = requests.length;
    const seen = dialect.seen(body);
    const request = { index, path, headers: incoming.headers, body, arrivedAt: Date.now(), ...seen, ended };
    requests.push(request);
    waiting.get(index)?.resolve(request);
    return request;
  }

  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch((error: unknown) => outgoing.destroy(error instanceof Error ? error : undefined));
  });
  const listener = await listening(server);
  return {
    url: `${listener.origin}${options.basePath}`,
    requests,
    violations,
    script(next) {
      script = next;
    },
    request(index) {
      const there = requests[index];
      if (there !== undefined) return Promise.resolve(there);
      const pending = waiting.get(index) ?? Promise.withResolvers<RecordedRequest>();
      waiting.set(index, pending);
      return pending.promise;
    },
    forget() {
      requests.length = 0;
      waiting.clear();
    },
    close: () => listener.close(),
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

interface Received {
  readonly dialect: Dialect;
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly body: unknown;
  readonly path: string;
}

export async function listening(server: Server): Promise<{ origin: string; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function bodyOf(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}

function carriesKey(headers: IncomingHttpHeaders, key: string): boolean {
  return [headers.authorization, headers["x-api-key"], headers["api-key"]].some(
    (value) => value === key || value === `Bearer ${key}`,
  );
}

function sendJson(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}

interface Answering {
  readonly dialect: Dialect;
  readonly outgoing: ServerResponse;
  readonly body: unknown;
}

async function reply(scripted: Reply, answering: Answering): Promise<void> {
  if (!Array.isArray(scripted) && "type" in scripted) {
    if (scripted.type === "silent") return;
    if (scripted.type === "http") return replyError(scripted, answering);
    return stream([scripted], answering);
  }
  return stream(scripted, answering);
}

function replyError({ status, errorType, message, headers }: HttpReply, { dialect, outgoing }: Answering): void {
  for (const [name, value] of Object.entries(headers)) outgoing.setHeader(name, value);
  sendJson(outgoing, status, dialect.errorBody(errorType, message));
}

async function stream(parts: readonly Part[], { dialect, outgoing, body }: Answering): Promise<void> {
  const gone = new AbortController();
  outgoing.once("close", () => gone.abort());
  outgoing.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  outgoing.flushHeaders();
  const encoder = dialect.encoder(body);
  const run: Run = {
    encoder,
    outgoing,
    gone: gone.signal,
    bytes: null,
    stop: parts.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn",
    usage: parts.reduce(
      (usage, part) => (part.type === "usage" ? { ...usage, ...part.usage } : usage),
      estimatedUsage(body, parts),
    ),
  };
  try {
    await write(run, encoder.begin(run.usage));
    for (const part of parts) if ((await play(part, run)) === "over") return;
    await write(run, encoder.end(run.stop, run.usage));
    outgoing.end();
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

interface Run {
  readonly encoder: Encoder;
  readonly outgoing: ServerResponse;
  readonly gone: AbortSignal;
  bytes: number | null;
  stop: StopReason;
  readonly usage: Required<ScriptedUsage>;
}

async function play(part: Part, run: Run): Promise<"goes on" | "over"> {
  const { encoder, outgoing } = run;
  switch (part.type) {
    case "text":
      await playText(part, run);
      return "goes on";
    case "thinking":
    case "redacted_thinking":
    case "tool_use":
      await write(run, encoder.part(part));
      return "goes on";
    case "hold":
      part.gate.arrive();
      await Promise.race([part.gate.released, leaving(run.gone)]);
      return run.gone.aborted ? "over" : "goes on";
    case "stall":
      return "over";
    case "ping":
      await write(run, encoder.ping());
      return "goes on";
    case "dribble":
      run.bytes = part.bytes;
      return "goes on";
    case "eof":
      outgoing.end();
      return "over";
    case "reset":
      outgoing.destroy();
      return "over";
    case "fail":
      await write(run, encoder.fail(part.errorType, part.message));
      outgoing.end();
      return "over";
    case "stop":
      run.stop = part.reason;
      return "goes on";
    case "usage": // applies to the whole answer
      return "goes on";
    default:
      return part satisfies never;
  }
}

async function playText({ chunks, everyMs }: Extract<Part, { type: "text" }>, run: Run): Promise<void> {
  if (everyMs === 0) return write(run, chunks.map((chunk) => run.encoder.text(chunk)).join(""));
  for (const chunk of chunks) {
    await write(run, run.encoder.text(chunk));
    await delay(everyMs, undefined, { signal: run.gone });
  }
}

async function write({ outgoing, bytes, gone }: Run, frames: string): Promise<void> {
  if (frames === "" || gone.aborted) return;
  const data = Buffer.from(frames, "utf8");
  if (bytes === null) {
    if (!outgoing.write(data)) await Promise.race([once(outgoing, "drain"), leaving(gone)]);
    return;
  }
  for (let at = 0; at < data.length && !gone.aborted; at += bytes) {
    outgoing.write(data.subarray(at, at + bytes));
    await nextTurn();
  }
}

function leaving(gone: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (gone.aborted) resolve();
    else gone.addEventListener("abort", () => resolve(), { once: true });
  });
}

function estimatedUsage(body: unknown, parts: readonly Part[]): Required<ScriptedUsage> {
  const written = parts.map((part) => (part.type === "text" ? part.chunks.length : 20));
  return {
    input: Math.ceil(JSON.stringify(body).length / 4),
    output: written.reduce((sum, count) => sum + count, 0),
    cacheRead: 0,
    cacheWrite: 0,
  };
}

/** One server-sent event. */
export function sse(event: string | null, data: unknown): string {
  return `${event === null ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}
