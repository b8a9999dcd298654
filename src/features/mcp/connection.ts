import { aborted } from "../../core/hold-roles.ts";
import { type Random, slept } from "../../core/protocol/runtime.ts";
import { errorResult, type ToolResult } from "../../core/protocol/tool-result.ts";
import { type SecretMasking, secretMasking } from "../../core/text/secret-masking.ts";
import { type CallFailure, callFailure } from "./call-failure.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { LiveCatalogue } from "./catalogue/live-catalogue.ts";
import { type AskOptions, McpSession, type SessionOptions } from "./mcp-session.ts";
import { DEFAULT_TIMEOUT_MS, type McpServer } from "./server-settings.ts";
import type { ConnectionState } from "./server-states/connection-state.ts";
import { notConnected } from "./server-states/state-text.ts";
import { serverSecrets } from "./settings/server-secrets.ts";

/** Milliseconds before the second attempt to connect; doubles with each further one. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A connection that lasts this long counts as good: the next attempt after it comes at once. Milliseconds. */
const GOOD_MS = 30_000;

/** Milliseconds that a call waits for a server that is being connected. */
const WAIT_MS = 10_000;

/** Milliseconds within which calls do not try again what has just failed. */
const FRESH_FAILURE_MS = 1_000;

/** Milliseconds between two looks at whether an idle server still answers. */
const PING_EVERY_MS = 60_000;
const PING_TIMEOUT_MS = 20_000;

/** Milliseconds for the sign of life after a call whose connection failed. */
const ALIVE_TIMEOUT_MS = 5_000;

export interface ConnectionOptions extends Omit<SessionOptions, "onToolsChanged" | "onLastWords"> {
  readonly name: string;
  readonly random: Random;
  /** Told when its state or what it lists is another. */
  readonly changed: () => void;
}

type Ask = (session: McpSession, options: AskOptions) => Promise<ToolResult>;

type Tried =
  | { readonly type: "done"; readonly result: ToolResult }
  | { readonly type: "away" }
  | { readonly type: "failed"; readonly failure: CallFailure; readonly again: boolean };

/** One configured server: connected for as long as the program runs, again whenever it is lost. */
export class McpConnection {
  readonly name: string;
  readonly settings: McpServer;
  readonly #options: ConnectionOptions;
  readonly #stopping = new AbortController();
  readonly #settled = Promise.withResolvers<void>();
  readonly #catalogue: LiveCatalogue;
  readonly #masking: SecretMasking;
  #state: ConnectionState = { type: "connecting", why: null };
  /** The attempt that is under way or has succeeded: null where it fails. */
  #attempt: Promise<McpSession | null> | null = null;
  #session: McpSession | null = null;
  /** When the next attempt is made; null: at once. */
  #nextAt: number | null = null;
  #instructions = "";
  #lastWords = "";
  /** In a row. */
  #failures = 0;
  #keeping: Promise<void> | null = null;

  constructor(options: ConnectionOptions) {
    this.name = options.name;
    this.settings = options.settings;
    this.#options = options;
    this.#masking = secretMasking(serverSecrets(options.settings));
    this.#catalogue = new LiveCatalogue(options, this.#stopping.signal);
  }

  /** As people call it. */
  get title(): string {
    return this.settings.title ?? this.name;
  }

  /** The last that the server listed; stays while it is away, so that prompts do not change with its health. */
  get catalogue(): Catalogue {
    return this.#catalogue.current;
  }

  /** What the server said of itself when it was last connected, in its words. */
  get instructions(): string {
    return this.#instructions;
  }

  /** The last that its program wrote to stderr when it could not be connected: for operators, since it may hold anything. */
  get lastWords(): string {
    return this.#lastWords;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  #become(state: ConnectionState): void {
    this.#state = state;
    this.#options.changed();
  }

  /** Resolves when the first attempt to connect has ended, however. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Connects and keeps connected, in the background, until the signal aborts or `stop`. */
  start(signal: AbortSignal): void {
    const abort = () => this.#stopping.abort();
    signal.addEventListener("abort", abort, { once: true, signal: this.#stopping.signal });
    if (signal.aborted) abort();
    this.#keeping ??= this.#keep();
  }

  /** Ends the session that there is, and connects anew at once; resolves when it is known what came of it. */
  async reconnect(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const session = this.#session;
    this.#failures = 0;
    if (session !== null) await this.#drop(session, "it is being connected anew");
    await this.#connect();
  }

  /** Resolves when nothing runs any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#keeping;
  }

  /**
   * Makes a request over a live session. What fails is a result that says why; throws only the signal's reason.
   * A request that certainly had no effect is made again once, over a new connection.
   */
  async use(ask: Ask, options: AskOptions): Promise<ToolResult> {
    const first = await this.#tryOnce(ask, options);
    const last = first.type === "failed" && first.again ? await this.#tryOnce(ask, options) : first;
    if (last.type === "done") return last.result;
    if (last.type === "away") {
      const state = { name: this.title, state: this.#state };
      return { ...errorResult(notConnected(state, this.#options.clock.now()), "not connected"), mayHaveChanged: false };
    }
    const caution = last.failure.refused ? "" : " What it had done until then stays.";
    const result = errorResult(`The MCP server ${this.title} failed: ${last.failure.text}.${caution}`, "failed");
    return last.failure.refused ? { ...result, mayHaveChanged: false } : result;
  }

  async #tryOnce(ask: Ask, options: AskOptions): Promise<Tried> {
    options.signal.throwIfAborted();
    const session = await this.#reach(options.signal);
    if (session === null) return { type: "away" };
    try {
      return { type: "done", result: await ask(session, options) };
    } catch (error) {
      options.signal.throwIfAborted();
      const failure = this.#failureOf(error, options.timeoutMs);
      const lost = failure.doubtful && !(await session.answers({ ...options, timeoutMs: ALIVE_TIMEOUT_MS }));
      if (lost) await this.#drop(session, failure.text);
      return { type: "failed", failure, again: lost && failure.refused };
    }
  }

  /** The live session, waited for a little. A failure that is a moment old is believed rather than repeated. */
  async #reach(signal: AbortSignal): Promise<McpSession | null> {
    const { clock } = this.#options;
    if (this.#session !== null) return this.#session;
    const state = this.#state;
    if (this.#stopping.signal.aborted) return null;
    if (state.type === "down" && this.#failures > 1 && clock.now() - state.since < FRESH_FAILURE_MS) return null;
    const waiting = new AbortController();
    const late = slept(clock, WAIT_MS, AbortSignal.any([signal, waiting.signal])).then(() => null);
    const session = await Promise.race([this.#connect(), late]);
    waiting.abort();
    signal.throwIfAborted();
    return session;
  }

  /** One attempt at a time, shared by whoever needs it, and its session for as long as it lives. */
  #connect(): Promise<McpSession | null> {
    this.#attempt ??= this.#open();
    return this.#attempt;
  }

  async #open(): Promise<McpSession | null> {
    const { clock, log } = this.#options;
    this.#become({ type: "connecting", why: this.#state.type === "down" ? this.#state.why : null });
    try {
      const session = await McpSession.open(this.#sessionOptions(), this.#stopping.signal);
      try {
        await this.#catalogue.read(session);
      } catch (error) {
        await session.close("its tools cannot be listed");
        throw error;
      }
      this.#session = session;
      this.#instructions = session.instructions;
      this.#become({ type: "connected", since: clock.now() });
      const { tools, leftOut } = this.#catalogue.current;
      log.info({ tools: tools.length, leftOut }, "mcp_connected");
      return session;
    } catch (error) {
      this.#attempt = null;
      this.#lose(this.#failureOf(error, DEFAULT_TIMEOUT_MS).text);
      log.warn({ err: error, failures: this.#failures, stderr: this.#lastWords }, "mcp_not_connected");
      return null;
    }
  }

  /** Some servers repeat the token that they refuse, and whoever opens the page reads why one is not connected. */
  #failureOf(error: unknown, timeoutMs: number): CallFailure {
    const failure = callFailure(error, timeoutMs);
    return { ...failure, text: this.#masking.hide(failure.text) };
  }

  #sessionOptions(): SessionOptions {
    return {
      ...this.#options,
      onToolsChanged: () => this.#catalogue.changed(async () => this.#attempt),
      onLastWords: (stderr) => {
        this.#lastWords = stderr;
      },
    };
  }

  async #keep(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      const session = await this.#connect();
      this.#settled.resolve();
      if (session !== null) await this.#watch(session, signal);
      if (!signal.aborted) await this.#pause(signal);
    }
    this.#settled.resolve();
    await this.#disconnect();
  }

  /** Until the session has ended; asks now and then, since a server behind HTTP can vanish without a word. */
  async #watch(session: McpSession, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const pinging = this.#ping(session, either);
    const why = await Promise.race([session.closed, aborted(either).then(() => null)]);
    ended.abort();
    await pinging;
    if (why !== null) await this.#drop(session, why);
  }

  /** Forgets a session that has ended, or ends it; once, whoever notices first. */
  async #drop(session: McpSession, why: string): Promise<void> {
    const { clock, log } = this.#options;
    if (this.#session === session) {
      this.#session = null;
      this.#attempt = null;
      if (this.#state.type === "connected" && clock.now() - this.#state.since >= GOOD_MS) this.#failures = 0;
      this.#lose(why);
      log.warn({ why, failures: this.#failures }, "mcp_lost");
    }
    await session.close(why);
  }

  async #ping(session: McpSession, signal: AbortSignal): Promise<void> {
    while (await slept(this.#options.clock, PING_EVERY_MS, signal)) {
      if (!session.idle) continue;
      // Throws only once the signal has aborted.
      if (await session.answers({ signal, timeoutMs: PING_TIMEOUT_MS }).catch(() => true)) continue;
      return session.close("it no longer answers");
    }
  }

  #lose(why: string): void {
    this.#failures += 1;
    this.#become({ type: "down", why, since: this.#options.clock.now(), nextAt: this.#nextAt });
  }

  /** Longer with each failure in a row, with some chance in it so that servers do not come back in step. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    if (this.#failures <= 1) return;
    const longest = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 2), LONGEST_PAUSE_MS);
    const pause = Math.ceil(longest * (0.75 + random.next() / 4));
    this.#nextAt = clock.now() + pause;
    if (this.#state.type === "down") this.#become({ ...this.#state, nextAt: this.#nextAt });
    await slept(clock, pause, signal);
    this.#nextAt = null;
  }

  async #disconnect(): Promise<void> {
    const session = await this.#attempt;
    await session?.close("stopped");
    this.#session = null;
    this.#attempt = null;
    await this.#catalogue.settled();
    this.#become({ type: "stopped" });
  }
}
