import { whenAborted } from "../../core/hold-roles.ts";
import { type Random, sleepUnlessAborted } from "../../core/protocol/runtime.ts";
import { errorResult, type ToolResult } from "../../core/protocol/tool-result.ts";
import { type SecretMasking, secretMasking } from "../../core/text/secret-masking.ts";
import { type CallFailure, callFailure } from "./call-failure.ts";
import type { Catalogue } from "./catalogue/catalogue.ts";
import { LiveCatalogue } from "./catalogue/live-catalogue.ts";
import { McpSession, type RequestOptions, type SessionOptions } from "./mcp-session.ts";
import { DEFAULT_TIMEOUT_MS, type McpServer } from "./server-settings.ts";
import type { ConnectionState } from "./server-states/connection-state.ts";
import { notConnected } from "./server-states/state-text.ts";
import { serverSecrets } from "./settings/server-secrets.ts";
import type { Access } from "./sign-in/access.ts";

/** Pause after the second failure in a row, in milliseconds; doubles with each more. The first retry is immediate. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A connection that lasts this long counts as good, so the next attempt after it is immediate. In milliseconds. */
const GOOD_MS = 30_000;

/** Maximum time that a call waits for a server to connect, in milliseconds. */
const WAIT_MS = 10_000;

/** Pause between attempts while a server waits for a sign-in, in milliseconds: it may have refused us by mistake. */
const SIGN_IN_PAUSE_MS = 900_000;

/** Calls do not retry a connection that failed less than this ago. In milliseconds. */
const FRESH_FAILURE_MS = 1_000;

/** Milliseconds between checks whether an idle server still answers. */
const PING_EVERY_MS = 60_000;
const PING_TIMEOUT_MS = 20_000;

/** Time limit for a sign of life after a call whose connection failed, in milliseconds. */
const ALIVE_TIMEOUT_MS = 5_000;

export interface ConnectionOptions extends Omit<SessionOptions, "onToolsChanged" | "onStderr"> {
  readonly name: string;
  readonly random: Random;
  /** Called when the server's state or its list of tools has changed. */
  readonly changed: () => void;
}

type SessionRequest = (session: McpSession, options: RequestOptions) => Promise<ToolResult>;

/** `waitsForSignIn`: only a person can change it. */
type Failure = CallFailure & { readonly waitsForSignIn: boolean };
type Loss = Pick<Failure, "text"> & Partial<Failure>;

type Attempt =
  | { readonly type: "done"; readonly result: ToolResult }
  | { readonly type: "away" }
  | { readonly type: "failed"; readonly failure: Failure; readonly again: boolean };

/** One configured server: kept connected as long as the program runs, and reconnected if the connection is lost. */
export class McpConnection {
  readonly name: string;
  readonly settings: McpServer;
  readonly #options: ConnectionOptions;
  readonly #stopping = new AbortController();
  readonly #settled = Promise.withResolvers<void>();
  readonly #catalogue: LiveCatalogue;
  readonly #masking: SecretMasking;
  #state: ConnectionState = { type: "connecting", why: null };
  /** The attempt under way or the one that succeeded; null otherwise. */
  #attempt: Promise<McpSession | null> | null = null;
  #session: McpSession | null = null;
  /** When the next attempt is made; null if immediately. */
  #nextAt: number | null = null;
  #instructions = "";
  #lastStderr = "";
  /** Failures in a row. */
  #failures = 0;
  #keeping: Promise<void> | null = null;
  #pausing: AbortController | null = null;

  constructor(options: ConnectionOptions) {
    this.name = options.name;
    this.settings = options.settings;
    this.#options = options;
    this.#masking = secretMasking(serverSecrets(options.settings));
    this.#catalogue = new LiveCatalogue(options, this.#stopping.signal);
  }

  /** The server's name as people write it. */
  get title(): string {
    return this.settings.title ?? this.name;
  }

  /** The server's last list of tools. Kept while the server is away, so that prompts do not change with its health. */
  get catalogue(): Catalogue {
    return this.#catalogue.current;
  }

  /** The server's instructions from its last connection, in its own words. */
  get instructions(): string {
    return this.#instructions;
  }

  /** The last stderr of the program when it could not connect. For operators only: it may contain anything. */
  get lastStderr(): string {
    return this.#lastStderr;
  }

  /** The access of the account that signed in; null if nobody can. */
  get access(): Access | null {
    return this.#options.access;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  #become(state: ConnectionState): void {
    this.#state = state;
    this.#options.changed();
  }

  /** Resolves when the first attempt to connect has ended, whether it succeeded or not. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** Connects in the background and keeps the connection alive until the signal aborts or `stop` is called. */
  start(signal: AbortSignal): void {
    const abort = () => this.#stopping.abort();
    signal.addEventListener("abort", abort, { once: true, signal: this.#stopping.signal });
    if (signal.aborted) abort();
    this.#keeping ??= this.#keep();
  }

  /** Ends the current session and reconnects at once; resolves when that attempt has ended. */
  async reconnect(): Promise<void> {
    if (this.#stopping.signal.aborted) return;
    const session = this.#session;
    // An attempt under way may have begun before what the caller knows, such as a sign-in.
    if (session === null && this.#attempt !== null) await this.#connect();
    this.#failures = 0;
    this.#pausing?.abort();
    if (session !== null) await this.#drop(session, { text: "it is reconnecting" });
    await this.#connect();
  }

  /** Resolves when nothing is running any more. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#keeping;
    await this.access?.close();
  }

  /**
   * Makes a request over a live session. A failure is a result that says why; throws only the signal's reason. A
   * request that certainly had no effect is repeated once, over a new connection.
   */
  async use(ask: SessionRequest, options: RequestOptions): Promise<ToolResult> {
    const first = await this.#tryOnce(ask, options);
    const last = first.type === "failed" && first.again ? await this.#tryOnce(ask, options) : first;
    if (last.type === "done") return last.result;
    if (last.type === "away") {
      const state = { name: this.title, state: this.#state };
      return { ...errorResult(notConnected(state, this.#options.clock.now()), "not connected"), mayHaveChanged: false };
    }
    const caution = last.failure.refused ? "" : " Anything it had already done remains.";
    const result = errorResult(`The MCP server ${this.title} failed: ${last.failure.text}.${caution}`, "failed");
    return last.failure.refused ? { ...result, mayHaveChanged: false } : result;
  }

  async #tryOnce(ask: SessionRequest, options: RequestOptions): Promise<Attempt> {
    options.signal.throwIfAborted();
    const session = await this.#reach(options.signal);
    if (session === null) return { type: "away" };
    try {
      return { type: "done", result: await ask(session, options) };
    } catch (error) {
      options.signal.throwIfAborted();
      const failure = this.#failureOf(error, options.timeoutMs);
      const lost = failure.doubtful && !(await session.answers({ ...options, timeoutMs: ALIVE_TIMEOUT_MS }));
      if (lost) await this.#drop(session, failure);
      return { type: "failed", failure, again: lost && failure.refused };
    }
  }

  /**
   * Returns the live session, waiting briefly for one. After repeated failures, the latest of which is recent, it does
   * not try again.
   */
  async #reach(signal: AbortSignal): Promise<McpSession | null> {
    const { clock } = this.#options;
    if (this.#session !== null) return this.#session;
    const state = this.#state;
    if (this.#stopping.signal.aborted || (state.type === "down" && state.waitsForSignIn)) return null;
    // The clock may have been set back since.
    const sinceMs = state.type === "down" ? Math.abs(clock.now() - state.since) : FRESH_FAILURE_MS;
    if (this.#failures > 1 && sinceMs < FRESH_FAILURE_MS) return null;
    const waiting = new AbortController();
    const late = sleepUnlessAborted(clock, WAIT_MS, AbortSignal.any([signal, waiting.signal])).then(() => null);
    const session = await Promise.race([this.#connect(), late]);
    waiting.abort();
    signal.throwIfAborted();
    return session;
  }

  /** Makes one attempt at a time, shared by all callers, and returns its session as long as that lives. */
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
      this.#lose(this.#failureOf(error, DEFAULT_TIMEOUT_MS));
      log.warn({ err: error, failures: this.#failures, stderr: this.#lastStderr }, "mcp_not_connected");
      return null;
    }
  }

  /** Masks secrets: some servers repeat the token that they refuse, and the page shows the message. */
  #failureOf(error: unknown, timeoutMs: number): Failure {
    const failure = callFailure(error, timeoutMs);
    const words = this.access?.signedIn != null ? (failure.ofAccount ?? failure.text) : failure.text;
    const refusal = failure.isUnauthorized === true ? (this.access?.refusal ?? null) : null;
    const orRun = refusal?.orRun == null ? "" : `, or ${refusal.orRun}`;
    const own = this.#masking.hide(this.access?.hide(words) ?? words);
    const text = refusal?.text ?? `${own}${orRun}`;
    return { ...failure, text, waitsForSignIn: refusal?.waits ?? false };
  }

  #sessionOptions(): SessionOptions {
    return {
      ...this.#options,
      onToolsChanged: () => this.#catalogue.changed(async () => this.#attempt),
      onStderr: (stderr) => {
        this.#lastStderr = stderr;
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

  /** Waits until the session has ended. Pings now and then, since an HTTP server can vanish without notice. */
  async #watch(session: McpSession, signal: AbortSignal): Promise<void> {
    const ended = new AbortController();
    const either = AbortSignal.any([signal, ended.signal]);
    const pinging = this.#ping(session, either);
    const why = await Promise.race([session.closed, whenAborted(either).then(() => null)]);
    ended.abort();
    await pinging;
    if (why !== null) await this.#drop(session, { text: why });
  }

  /** Forgets and closes a session. Whoever notices its end first records the loss. */
  async #drop(session: McpSession, loss: Loss): Promise<void> {
    const { clock, log } = this.#options;
    if (this.#session === session) {
      this.#session = null;
      this.#attempt = null;
      if (this.#state.type === "connected" && clock.now() - this.#state.since >= GOOD_MS) this.#failures = 0;
      this.#lose(loss);
      log.warn({ why: loss.text, failures: this.#failures }, "mcp_lost");
    }
    await session.close(loss.text);
  }

  async #ping(session: McpSession, signal: AbortSignal): Promise<void> {
    while (await sleepUnlessAborted(this.#options.clock, PING_EVERY_MS, signal)) {
      if (!session.idle) continue;
      // Throws only after the signal has aborted.
      if (await session.answers({ signal, timeoutMs: PING_TIMEOUT_MS }).catch(() => true)) continue;
      return session.close("it stopped responding");
    }
  }

  #lose({ text: why, waitsForSignIn = false }: Loss): void {
    this.#failures += 1;
    this.#become({ type: "down", why, since: this.#options.clock.now(), nextAt: this.#nextAt, waitsForSignIn });
  }

  /** Waits before the next attempt: longer with each failure, with jitter so that servers do not reconnect in step. */
  async #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    const waits = this.#state.type === "down" && this.#state.waitsForSignIn;
    if (this.#failures <= 1 && !waits) return;
    const usual = Math.min(FIRST_PAUSE_MS * 2 ** (this.#failures - 2), LONGEST_PAUSE_MS);
    const longest = waits ? SIGN_IN_PAUSE_MS : usual;
    const pause = Math.ceil(longest * (0.75 + random.next() / 4));
    this.#nextAt = clock.now() + pause;
    if (this.#state.type === "down") this.#become({ ...this.#state, nextAt: this.#nextAt });
    this.#pausing = new AbortController();
    await sleepUnlessAborted(clock, pause, AbortSignal.any([signal, this.#pausing.signal]));
    this.#pausing = null;
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
