/**
 * Answers of a local model server in terms common to all APIs: a reply is one part or several, sent in order.
 * `server.script((request, index) => [text("I'll read it."), toolUse("read", { path: "a.txt" })])`.
 */

export type StopReason = "end_turn" | "tool_use" | "max_tokens" | "refusal";

/** Token counts; `input` excludes tokens read from or written to the cache. */
export interface ScriptedUsage {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

export type Part =
  | { readonly type: "text"; readonly chunks: readonly string[]; readonly everyMs: number }
  | { readonly type: "thinking"; readonly text: string; readonly signature: string }
  | { readonly type: "redacted_thinking"; readonly data: string }
  | { readonly type: "tool_use"; readonly name: string; readonly json: string; readonly id: string | null }
  | { readonly type: "hold"; readonly gate: Gate }
  | { readonly type: "stall" }
  | { readonly type: "ping" }
  | { readonly type: "dribble"; readonly bytes: number }
  | { readonly type: "eof" }
  | { readonly type: "reset" }
  | { readonly type: "fail"; readonly errorType: string; readonly message: string }
  | { readonly type: "stop"; readonly reason: StopReason }
  | { readonly type: "usage"; readonly usage: ScriptedUsage };

export interface HttpReply {
  readonly type: "http";
  readonly status: number;
  readonly errorType: string;
  readonly message: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Never answers, not even with headers. */
export interface SilentReply {
  readonly type: "silent";
}

export type Reply = Part | readonly Part[] | HttpReply | SilentReply;

/** Text in chunks of `chunkChars` characters, `everyMs` milliseconds apart (0 means without delay). */
export function text(content: string, { chunkChars = 20, everyMs = 0 } = {}): Part {
  const characters = Array.from(content);
  const chunks: string[] = [];
  for (let at = 0; at < characters.length; at += chunkChars)
    chunks.push(characters.slice(at, at + chunkChars).join(""));
  return { type: "text", chunks, everyMs };
}

/** `count` words, each its own chunk: a long answer whose last word is `word<count>`. */
export function tokens(count: number, { everyMs = 0 } = {}): Part {
  return { type: "text", chunks: Array.from({ length: count }, (_, index) => `word${index + 1} `), everyMs };
}

export function toolUse(name: string, input: unknown, id: string | null = null): Part {
  return { type: "tool_use", name, json: JSON.stringify(input), id };
}

/** A call with this text as its raw arguments. */
export function rawToolUse(name: string, json: string, id: string | null = null): Part {
  return { type: "tool_use", name, json, id };
}

export function thinking(content: string, signature = "signature-of-the-thought"): Part {
  return { type: "thinking", text: content, signature };
}

export function redactedThinking(data = "opaque-thought"): Part {
  return { type: "redacted_thinking", data };
}

/** Sets the stop reason; by default `tool_use` if there is a call, else `end_turn`. */
export function stop(reason: StopReason): Part {
  return { type: "stop", reason };
}

export function usage(counts: ScriptedUsage): Part {
  return { type: "usage", usage: counts };
}

/** Sends nothing more and keeps the connection open. */
export function stall(): Part {
  return { type: "stall" };
}

/** A keep-alive event without content. */
export function ping(): Part {
  return { type: "ping" };
}

/** From here on bytes are sent in pieces of this size, which splits characters. */
export function dribble(bytes: number): Part {
  return { type: "dribble", bytes };
}

/** Ends the body here, without the API's end marker. */
export function earlyEof(): Part {
  return { type: "eof" };
}

/** Breaks the connection here. */
export function reset(): Part {
  return { type: "reset" };
}

/** An error in the middle of the stream. */
export function midStreamError(errorType: string, message: string): Part {
  return { type: "fail", errorType, message };
}

export function overloadedMidStream(): Part {
  return midStreamError("overloaded_error", "Overloaded");
}

export function silent(): SilentReply {
  return { type: "silent" };
}

export function httpError(
  status: number,
  errorType: string,
  message: string,
): HttpReply & { after(seconds: number): HttpReply } {
  const reply: HttpReply = { type: "http", status, errorType, message, headers: {} };
  return { ...reply, after: (seconds) => ({ ...reply, headers: { "retry-after": String(seconds) } }) };
}

export function unauthorized(): HttpReply {
  return httpError(401, "authentication_error", "invalid x-api-key");
}

export function rateLimited(retryAfterS?: number): HttpReply {
  const reply = httpError(429, "rate_limit_error", "Number of requests has exceeded your rate limit");
  return retryAfterS === undefined ? reply : reply.after(retryAfterS);
}

export function overloaded(): HttpReply {
  return httpError(529, "overloaded_error", "Overloaded");
}

export function serverError(): HttpReply {
  return httpError(500, "api_error", "Internal server error");
}

/** A point where a reply waits for the test: `[text("a"), gate.part, text("b")]`, then `gate.release()`. */
export interface Gate {
  readonly part: Part;
  /** Resolves when a reply has reached the gate. */
  readonly reached: Promise<void>;
  readonly released: Promise<void>;
  release(): void;
  arrive(): void;
}

export function hold(): Gate {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const gate: Gate = {
    get part(): Part {
      return { type: "hold", gate };
    },
    reached: reached.promise,
    released: released.promise,
    release: () => released.resolve(),
    arrive: () => reached.resolve(),
  };
  return gate;
}

/** A model call that a kill cuts off and that the next process repeats. */
export function cutOff(gate: Gate): Reply {
  return [gate.part, text("lost")];
}
