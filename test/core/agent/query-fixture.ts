import { z } from "zod";
import type { ApprovalService } from "../../../src/core/agent/approval-service.ts";
import { runQuery } from "../../../src/core/agent/query.ts";
import type { Query } from "../../../src/core/agent/query-input.ts";
import type { AgentDefinition, QueryConfig } from "../../../src/core/agents/query-config.ts";
import { TokenMeter } from "../../../src/core/context/token-estimate.ts";
import type { QueryEnd, QueryEvent } from "../../../src/core/protocol/events.ts";
import type { Log } from "../../../src/core/protocol/log.ts";
import type { ContentBlock, Message } from "../../../src/core/protocol/messages.ts";
import { textResult } from "../../../src/core/protocol/tool-result.ts";
import type { Usage } from "../../../src/core/protocol/usage.ts";
import type {
  LlmProvider,
  ModelRequest,
  Price,
  StopReason,
  StreamEvent,
} from "../../../src/core/providers/provider.ts";
import { defineTool, type Tool } from "../../../src/core/tool.ts";
import { MemoryJournal } from "../../support/database/memory-journal.ts";
import { ManualClock } from "../../support/manual-clock.ts";
import { shippedAgent } from "../../support/shipped-agents.ts";
import { idleThread } from "../../support/talk/idle-thread.ts";

/** One model call: what it streams before it ends, and how it ends. */
export interface Reply {
  readonly text?: string;
  readonly calls?: readonly { id: string; name: string; input?: unknown; invalidJson?: string }[];
  readonly stopReason?: StopReason;
  /** The call fails with this error after the text. */
  readonly error?: Error;
  /** Streams the text and then nothing, until the signal aborts. */
  readonly hangs?: boolean;
  /** Ends without the terminal marker. */
  readonly noEnd?: boolean;
  /** Token counts that the provider reports; USAGE by default. */
  readonly usage?: Usage;
}

export const USAGE = { inputTokens: 100, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
/** One call of USAGE costs $0.0015. */
const PRICE: Price = { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 };
export const CALL_COST_USD = 0.0015;

/** A provider that answers from a script. */
export class ScriptedModel implements LlmProvider {
  readonly id = "scripted";
  readonly name = "Scripted";
  readonly requests: ModelRequest[] = [];
  readonly #reply: (request: ModelRequest, call: number) => Reply;

  constructor(reply: (request: ModelRequest, call: number) => Reply) {
    this.#reply = reply;
  }

  /** Replies in the order of the calls. */
  static inOrder(...replies: readonly Reply[]): ScriptedModel {
    return new ScriptedModel((_request, call) => at(replies, call));
  }

  /** Chooses the reply by the length of the conversation, so that a restarted process gets the right one. */
  static byTurn(...replies: readonly Reply[]): ScriptedModel {
    return new ScriptedModel((request) =>
      at(replies, request.messages.filter((message) => message.role === "assistant").length),
    );
  }

  async createMessage(): Promise<never> {
    throw new Error("the loop streams");
  }

  async listModels(): Promise<never> {
    throw new Error("the loop lists no models");
  }

  async *createMessageStream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    signal.throwIfAborted();
    this.requests.push(request);
    const reply = this.#reply(request, this.requests.length - 1);
    for (const word of (reply.text ?? "").match(/\S+\s*/g) ?? []) yield { type: "text", text: word };
    if (reply.hangs === true) await aborted(signal);
    if (reply.error !== undefined) throw reply.error;
    if (reply.noEnd === true) return;
    const calls = reply.calls ?? [];
    const content: ContentBlock[] = [
      ...(reply.text === undefined ? [] : [{ type: "text" as const, text: reply.text }]),
      ...calls.map((call) => ({ type: "tool_use" as const, input: {}, ...call })),
    ];
    const stopReason = reply.stopReason ?? (calls.length > 0 ? "tool_use" : "end_turn");
    yield { type: "end", response: { content, stopReason, usage: reply.usage ?? USAGE, model: request.model } };
  }
}

function at(replies: readonly Reply[], index: number): Reply {
  const reply = replies[index];
  if (reply === undefined) throw new Error(`the script has no reply ${index + 1}`);
  return reply;
}

/** Rejects with the signal's reason once it aborts. */
export function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A tool with the given options; a read tool by default. */
export function tool(name: string, options: Partial<Omit<Tool<{ path: string }>, "name" | "input">> = {}): Tool {
  return defineTool({
    name,
    description: `does ${name}`,
    input: z.strictObject({ path: z.string() }),
    permission: "read",
    parallel: true,
    afterCrash: "replay",
    grant: ({ path }) => ({ key: `${name}:${path}`, label: path }),
    title: ({ path }) => path,
    execute: async ({ path }) => textResult(`${name} ${path}`),
    ...options,
  });
}

export function userMessage(text: string, id = "msg_user"): Message {
  return {
    id,
    role: "user",
    content: [{ type: "text", text }],
    author: { id: "web:local", name: "ana" },
    createdAt: 0,
  };
}

export interface LogLine {
  readonly event: string;
  readonly fields: object;
}

export function recordingLog(lines: LogLine[]): Log {
  const write = (fields: object, event: string) => {
    lines.push({ event, fields });
  };
  return { debug: write, info: write, warn: write, error: write, child: () => recordingLog(lines) };
}

export interface Scenario {
  readonly model: LlmProvider;
  readonly tools?: readonly Tool[];
  readonly journal?: MemoryJournal;
  readonly config?: Partial<QueryConfig>;
  readonly agent?: Partial<AgentDefinition>;
  readonly price?: Price | null;
  /** Decides on calls; allows all of them by default. */
  readonly approvals?: ApprovalService;
}

const ALLOWS_ALL: ApprovalService = {
  asked: async () => [],
  verdicts: async (_turn, calls) => new Map(calls.map(({ use }) => [use.id, { type: "allowed" }])),
};

/** A query over a scripted model, and everything that a test examines afterwards. */
export function scenario({
  model,
  tools = [],
  config,
  agent,
  price = PRICE,
  approvals = ALLOWS_ALL,
  ...given
}: Scenario) {
  const clock = new ManualClock();
  const journal = given.journal ?? new MemoryJournal([userMessage("go")]);
  const logLines: LogLine[] = [];
  let ids = 0;
  const facts = { contextWindow: 200_000, maxOutputTokens: 64_000, price };
  const query: Query = {
    sessionId: "ses_1",
    runId: "run_1",
    channelKey: "web:C1",
    personId: "web:U1",
    person: "ana",
    config: {
      model: "scripted/one",
      maxTokens: 32_000,
      maxTurns: 50,
      outputStyle: "default",
      workingDirectory: "/sandbox",
      toolResultBudget: 50_000,
      agentDefinition: { ...shippedAgent("build"), ...agent },
      mode: "write",
      logContext: {},
      ...config,
    },
    registry: { resolve: async () => ({ provider: model, model: "one", facts }), available: () => ["scripted"] },
    tools,
    whyMissing: () => null,
    awaitTools: () => Promise.resolve(tools),
    opened: () => undefined,
    system: [{ text: "system", cacheBreakpoint: true }],
    journal,
    approvals,
    thread: idleThread,
    meter: new TokenMeter(),
    runtime: { clock, ids: { next: (prefix) => `${prefix}_${++ids}` }, random: { next: () => 0.5 } },
    log: recordingLog(logLines),
    sandboxRoot: "/sandbox",
    allowedHosts: ["*"],
    blockedUrls: [],
    sinks: [],
    nonInteractive: false,
    plan: () => Promise.resolve(null),
    cacheKey: "web:C1",
  };
  return { query, journal, clock, logLines };
}

export interface Told {
  readonly events: QueryEvent[];
  readonly outcome: QueryEnd;
}

/** Runs the query to its outcome; `follow` receives each event as it is emitted. */
export async function drive(
  query: Query,
  signal: AbortSignal = new AbortController().signal,
  follow: (event: QueryEvent) => void = () => {},
): Promise<Told> {
  const events: QueryEvent[] = [];
  const run = runQuery(query, signal);
  for (;;) {
    const next = await run.next();
    if (next.done === true) return { events, outcome: next.value };
    events.push(next.value);
    follow(next.value);
  }
}

/** Texts of all tool results in the journal, in order. */
export async function resultTexts(journal: MemoryJournal): Promise<string[]> {
  const { messages } = await journal.load();
  return messages
    .flatMap((message) => message.content)
    .flatMap((block) => (block.type === "tool_result" ? block.content : []))
    .map((part) => (part.type === "text" ? part.text : part.type));
}
