import {
  Client,
  type Progress,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  type Transport,
} from "@modelcontextprotocol/client";
import { z } from "zod";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock } from "../../core/protocol/runtime.ts";
import { wasNeverSent } from "../../core/protocol/system-code.ts";
import { waitAtMost } from "../../core/wait-at-most.ts";
import { isBroken, ProgramEnded } from "./call-failure.ts";
import type { ListedTool } from "./catalogue/catalogue.ts";
import { callResultSchema, promptResultSchema, readResultSchema } from "./content.ts";
import { createIdleTimeout } from "./idle-timeout.ts";
import { LISTINGS, type Listed, nullAsAbsent, pageSchema } from "./listings.ts";
import { progressText } from "./progress-text.ts";
import { type Caller, ServerRequests, takesRoots } from "./server-requests.ts";
import type { McpServer } from "./server-settings.ts";
import { HttpTransport } from "./transport/http-transport.ts";
import {
  isWrongTransport,
  openTransport,
  type TransportKind,
  type TransportScope,
  transportsFor,
} from "./transport/open-transport.ts";
import { otherVersions } from "./transport/other-versions.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";

/** Time limit for the handshake, in milliseconds. The first start of a program may have to download it. */
const CONNECT_MS = 60_000;

/** Time limit for asking an HTTP server which revision it speaks, in milliseconds. */
const PROBE_MS = 10_000;

/** Longest duration of a call that keeps reporting progress: one day, well within the limit of Node's timers. */
const LONGEST_CALL_MS = 86_400_000;

/** Time limit for one page of a listing, in milliseconds. */
const ASK_MS = 20_000;

/** Milliseconds that a server gets to take the notice that the bot ends the session. */
const GOODBYE_MS = 1_000;

/** Maximum number of pages of one listing. */
const MAX_PAGES = 64;

/** Maximum number of protocol errors logged per session, since a server can produce any number of them. */
const MAX_LOGGED = 5;

export interface SessionOptions extends TransportScope {
  readonly settings: McpServer;
  /** Deckhand's version, as sent to the server. */
  readonly version: string;
  readonly log: Log;
  readonly onToolsChanged: () => void;
  /** Receives the last stderr of a program that could not be connected. */
  readonly onStderr: (stderr: string) => void;
}

export interface RequestOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
}

export interface ToolCall extends Pick<ListedTool, "tool" | "inputSchema"> {
  readonly input: Readonly<Record<string, unknown>>;
  readonly by: Caller;
}

/** `legacy`: the handshake of revisions before 2026-07-28. `auto`: asks which it speaks and takes the newest. */
type Handshake = "legacy" | "auto";

interface ConnectAttempt {
  readonly kind: TransportKind;
  readonly handshake: Handshake;
  /** Protocol version of the handshake; the SDK's default if left out. */
  readonly version?: string;
}

/** One connection to a server, from handshake to end; never reused afterwards. */
export class McpSession {
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #closed = Promise.withResolvers<string>();
  readonly #clock: Clock;
  readonly #serverRequests: ServerRequests;
  #busy = 0;
  #over = false;
  #closing: Promise<void> | null = null;

  private constructor(options: SessionOptions, { kind, handshake, version: protocol }: ConnectAttempt) {
    const { settings, version, clock, onToolsChanged } = options;
    this.#clock = clock;
    this.#serverRequests = new ServerRequests(clock);
    this.#transport = openTransport(kind, settings, options);
    const roots = takesRoots(settings) ? { roots: { listChanged: true } } : {};
    this.#client = new Client(
      { name: "deckhand", version },
      {
        capabilities: { elicitation: { form: {} }, ...roots },
        ...(protocol === undefined ? {} : { supportedProtocolVersions: [protocol] }),
        versionNegotiation: { mode: handshake, probe: { timeoutMs: PROBE_MS } },
        listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: onToolsChanged } },
      },
    );
    this.#listen(options);
    if ("roots" in roots) this.#client.setRequestHandler("roots/list", () => ({ roots: this.#serverRequests.roots() }));
    this.#client.setRequestHandler("elicitation/create", ({ params }, { mcpReq: { signal } }) => {
      return params.mode === "url" ? { action: "cancel" } : this.#serverRequests.elicit(params, signal);
    });
  }

  /** Connects by the first transport that the server accepts. If none works, throws the first error and leaves no process. */
  static async open(options: SessionOptions, signal: AbortSignal): Promise<McpSession> {
    let first: unknown = null;
    for (const kind of transportsFor(options.settings)) {
      try {
        return await McpSession.#openWith(kind, options, signal);
      } catch (error) {
        first ??= error;
        if (signal.aborted || !isWrongTransport(error)) throw first;
      }
    }
    throw first;
  }

  static async #openWith(kind: TransportKind, options: SessionOptions, signal: AbortSignal): Promise<McpSession> {
    const connect = (handshake: Handshake) => McpSession.#greet(options, { kind, handshake }, signal);
    try {
      return await connect(kind === "http" ? "auto" : "legacy");
    } catch (error) {
      if (signal.aborted || !mayTakeAnother(kind, error)) throw error;
      if (kind === "http") return connect("legacy");
      try {
        return await connect("auto");
      } catch {
        // The program's answer to the first handshake says what is wrong.
        throw error;
      }
    }
  }

  /** Connects with the default protocol version, or else with one that the server accepts. */
  static async #greet(
    options: SessionOptions,
    { kind, handshake }: ConnectAttempt,
    signal: AbortSignal,
  ): Promise<McpSession> {
    try {
      return await McpSession.#connect(options, { kind, handshake }, signal);
    } catch (error) {
      for (const version of signal.aborted ? [] : otherVersions(error)) {
        const session = await unlessRefused(
          McpSession.#connect(options, { kind, handshake: "legacy", version }, signal),
        );
        if (session !== null) return session;
      }
      throw error;
    }
  }

  static async #connect(options: SessionOptions, attempt: ConnectAttempt, signal: AbortSignal): Promise<McpSession> {
    const session = new McpSession(options, attempt);
    try {
      await session.#client.connect(session.#transport, { signal, timeout: CONNECT_MS });
    } catch (error) {
      await session.#transport.close();
      options.onStderr(session.#program?.stderr ?? "");
      throw session.#reason(error);
    }
    return session;
  }

  /** Resolves with the reason when the session has ended; never rejects. */
  get closed(): Promise<string> {
    return this.#closed.promise;
  }

  get #program(): StdioTransport | null {
    return this.#transport instanceof StdioTransport ? this.#transport : null;
  }

  /** The cause of a broken request: the end of the program if it has ended, otherwise the error itself. */
  #reason(error: unknown): unknown {
    const ending = this.#program?.ending ?? "";
    return ending !== "" && isBroken(error) ? new ProgramEnded(ending, error) : error;
  }

  get idle(): boolean {
    return this.#busy === 0;
  }

  /** Everything of one kind that the server lists; empty if it has none. */
  async list<K extends keyof Listed>(kind: K, most: number, signal: AbortSignal): Promise<Listed[K][]> {
    const has = this.#client.getServerCapabilities() ?? {};
    if (has[LISTINGS[kind].of] !== undefined) return this.#pages(kind, most, signal);
    // A server that declares none of these capabilities may have tools all the same.
    if (kind !== "tools" || has.resources !== undefined || has.prompts !== undefined) return [];
    try {
      return await this.#pages(kind, most, signal);
    } catch (error) {
      if (error instanceof ProtocolError) return [];
      throw error;
    }
  }

  /** Reads a listing page by page. An invalid entry is skipped. */
  async #pages<K extends keyof Listed>(kind: K, most: number, signal: AbortSignal): Promise<Listed[K][]> {
    const { method, key, item } = LISTINGS[kind];
    const all: Listed[K][] = [];
    let cursor: string | undefined;
    for (let pages = 0; pages < MAX_PAGES && all.length < most; pages++) {
      const params = cursor === undefined ? {} : { cursor };
      const page = await this.#ask({ method, params }, pageSchema, { signal, timeoutMs: ASK_MS });
      const entries = nullAsAbsent(z.array(z.unknown())).parse(page[key]) ?? [];
      all.push(...entries.slice(0, most - all.length).flatMap((entry) => item.safeParse(entry).data ?? []));
      if (page.nextCursor === undefined || ["", cursor].includes(page.nextCursor)) break;
      cursor = page.nextCursor;
    }
    return all;
  }

  /** The server's description of itself and its tools, in its own words; empty if it gives none. */
  get instructions(): string {
    return this.#client.getInstructions() ?? "";
  }

  /**
   * Calls a tool. The call times out after `timeoutMs` without a word from the server, not counting the time that it
   * waits for people.
   */
  async callTool({ tool, inputSchema, input, by }: ToolCall, { signal, timeoutMs }: RequestOptions) {
    using idle = createIdleTimeout(this.#clock, timeoutMs);
    const wait = AbortSignal.any([signal, idle.signal]);
    // The time that the call waits for its turn does not count either.
    const begin = idle.hold();
    const params = { name: tool, arguments: input };
    const onprogress = (progress: Progress) => {
      idle.restart();
      by.progress(progressText(progress));
    };
    const current = { caller: by, signal: wait, hold: () => idle.hold() };
    try {
      return await this.#serverRequests.during(current, {
        rootsChanged: () => this.#client.sendRootsListChanged(),
        call: () => {
          begin();
          return this.#during(callResultSchema, () => {
            const options = { signal: wait, timeout: LONGEST_CALL_MS, onprogress };
            if (!this.#isModern) return this.#client.request({ method: "tools/call", params }, z.unknown(), options);
            // Some arguments also go into headers, as the tool's schema says.
            const toolDefinition = { name: tool, inputSchema: { ...inputSchema, type: "object" as const } };
            return this.#client.callTool(params, { ...options, toolDefinition });
          });
        },
      });
    } catch (error) {
      if (!idle.signal.aborted || signal.aborted) throw error;
      throw new SdkError(SdkErrorCode.RequestTimeout, "nothing was heard of the call", { cause: error });
    }
  }

  readResource(uri: string, options: RequestOptions) {
    return this.#ask({ method: "resources/read", params: { uri } }, readResultSchema, options);
  }

  getPrompt(name: string, input: Readonly<Record<string, string>>, options: RequestOptions) {
    return this.#ask({ method: "prompts/get", params: { name, arguments: input } }, promptResultSchema, options);
  }

  /** Whether the server answers at all; an error is a sign of life, too. Throws the signal's reason. */
  async answers({ signal, timeoutMs }: RequestOptions): Promise<boolean> {
    try {
      // Newer revisions have no ping, and older ones do not know its replacement.
      const method = this.#isModern ? "server/discover" : "ping";
      await this.#ask({ method }, z.unknown(), { signal, timeoutMs });
      return true;
    } catch (error) {
      signal.throwIfAborted();
      return error instanceof ProtocolError;
    }
  }

  /** Ends the session; resolves when nothing of it is left running. */
  close(why: string): Promise<void> {
    this.#end(why);
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const transport = this.#transport;
    // Tells the server that the session is over. A server that does not answer forgets it by itself.
    const goodbye = transport instanceof HttpTransport ? transport.terminateSession().catch(() => {}) : undefined;
    await waitAtMost(GOODBYE_MS, goodbye, this.#clock);
    await transport.close();
  }

  get #isModern(): boolean {
    return this.#client.getProtocolEra() === "modern";
  }

  #ask<S extends z.ZodType>(
    request: { method: string; params?: Record<string, unknown> },
    schema: S,
    { signal, timeoutMs }: RequestOptions,
  ): Promise<z.infer<S>> {
    return this.#during(schema, () => this.#client.request(request, z.unknown(), { signal, timeout: timeoutMs }));
  }

  async #during<S extends z.ZodType>(schema: S, request: () => Promise<unknown>): Promise<z.infer<S>> {
    if (this.#over) throw new SdkError(SdkErrorCode.NotConnected, "the session has ended");
    this.#busy++;
    try {
      return schema.parse(await request());
    } catch (error) {
      throw this.#reason(error);
    } finally {
      this.#busy--;
    }
  }

  #listen({ log }: SessionOptions): void {
    let logged = 0;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's hook; it has no events
    this.#client.onerror = (error) => {
      logged += 1;
      if (logged <= MAX_LOGGED) log.debug({ err: error }, "mcp_oddity");
    };
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's hook; it has no events
    this.#client.onclose = () => {
      const child = this.#program;
      if (child !== null && this.#closing === null)
        log.warn({ ending: child.ending, stderr: child.stderr }, "mcp_server_ended");
      this.#end(child === null ? "the connection ended" : `the program ended (${child.ending})`);
    };
  }

  #end(why: string): void {
    this.#over = true;
    this.#closed.resolve(why);
  }
}

/**
 * Whether the other handshake is worth a try. A program that answers the legacy handshake with an error may speak only
 * revisions without one; it is not probed first, because some programs exit on anything before the handshake. An HTTP
 * server that rejects the probe may accept the handshake.
 */
function mayTakeAnother(kind: TransportKind, error: unknown): boolean {
  if (kind === "http") return !wasNeverSent(error);
  return kind === "program" && error instanceof ProtocolError;
}

/** Null if the server refuses this version of the protocol, too. */
async function unlessRefused(connecting: Promise<McpSession>): Promise<McpSession | null> {
  try {
    return await connecting;
  } catch (error) {
    if (otherVersions(error).length === 0) throw error;
    return null;
  }
}
