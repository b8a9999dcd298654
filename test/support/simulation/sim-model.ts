import { isResume } from "../../../src/core/context/resume.ts";
import { ProviderError } from "../../../src/core/protocol/errors.ts";
import type { Message, ToolUseBlock } from "../../../src/core/protocol/messages.ts";
import { textOf, toolUsesOf } from "../../../src/core/protocol/messages.ts";
import type {
  ModelRequest,
  ModelResponse,
  ProviderRegistry,
  StreamEvent,
} from "../../../src/core/providers/provider.ts";
import { type Delegation, errandOf, reportMark } from "./errands.ts";
import type { SimProcess, World } from "./world.ts";

/** A person's request in the simulation: a number of turns with tools, then an answer that contains the id. */
export function askText(id: string, turns: number): string {
  return `ask ${id} ${turns}`;
}

/** Text that the answer to a request contains exactly once. */
export function answerMark(id: string): string {
  return `done-${id}.`;
}

/** Model calls so far: those that reached the model, and how many of these it refused. */
export interface CallTally {
  sent: number;
  refused: number;
}

interface SimModelOptions {
  readonly world: World;
  readonly process: SimProcess;
  readonly tally: CallTally;
  readonly faultRate: number;
  /** Until then the model `sim` has no capacity, but `other` has. In milliseconds since the epoch. */
  readonly overloadedUntil: number;
  /** Null if it does all the work itself. */
  readonly delegation: Delegation | null;
}

/**
 * A model that processes each request: as many turns with tools or sub-agents as it asks for, then one answer that
 * names every request since the last answer. It fails now and then, but never twice in a row within a conversation,
 * because a run that fails too often rightly ends with an error. The output limit may cut answers off.
 */
export function simRegistry(options: SimModelOptions): ProviderRegistry {
  const { world, process, tally, faultRate, overloadedUntil, delegation } = options;
  const clock = world.clockOf(process);
  /** First messages of conversations whose last call failed. */
  const failedBefore = new Set<string>();
  const provider = {
    id: "sim",
    name: "Simulated",
    listModels: () => Promise.resolve([]),
    createMessage: () => Promise.reject(new ProviderError("bad_request", "only streams")),
    async *createMessageStream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
      tally.sent += 1;
      yield { type: "sent", maxTokens: request.maxTokens };
      await world.step(process);
      await clock.sleep(10 + world.random.next() * 400, signal);
      const conversation = textOf(request.messages[0]?.content ?? []);
      if (request.model === "sim" && world.now() < overloadedUntil) {
        failedBefore.add(conversation);
        tally.refused += 1;
        throw new ProviderError("overloaded", "simulated");
      }
      if (isHopeless(request.messages)) {
        tally.refused += 1;
        throw new ProviderError("bad_request", "simulated");
      }
      const response = cutOff(respond(request.messages, delegation), world.random.next() < faultRate);
      const fails = !failedBefore.delete(conversation) && world.random.next() < faultRate;
      if (fails) failedBefore.add(conversation);
      for (const word of textOf(response.content).split(/(?<= )/)) {
        await clock.sleep(1 + world.random.next() * 30, signal);
        if (fails) {
          tally.refused += 1;
          throw new ProviderError(world.random.next() < 0.5 ? "incomplete_stream" : "overloaded", "simulated");
        }
        yield { type: "text", text: word };
      }
      await world.step(process);
      yield { type: "end", response };
    },
  };
  const facts = {
    contextWindow: 200_000,
    maxOutputTokens: 8_000,
    price: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  };
  return { resolve: (ref) => Promise.resolve({ provider, model: ref.slice(4), facts }), available: () => ["sim"] };
}

/** The requests since the last answer, and their progress. */
function openWork(messages: readonly Message[]) {
  const lastAnswer = messages.findLastIndex(
    (message, index) =>
      message.role === "assistant" &&
      toolUsesOf(message.content).length === 0 &&
      !messages.slice(index + 1, index + 2).some(isResume),
  );
  const open = messages.slice(lastAnswer + 1);
  const said = open.filter((message) => message.role === "assistant").map((message) => textOf(message.content));
  const asks = open.flatMap((message) => [...textOf(message.content).matchAll(/(ask|errand) (\S+) (\d+)/g)]);
  const isDone = said.length >= Math.max(0, ...asks.map((ask) => Number(ask[3])));
  const names = asks.map(([, what, id = ""]) => (what === "ask" ? answerMark(id) : reportMark(id)));
  return { isDone, marks: names.filter((mark) => !said.join("").includes(mark)) };
}

/** True for an errand that no model can finish. */
function isHopeless(messages: readonly Message[]): boolean {
  return errandOf(messages)?.kind === "fails" && openWork(messages).isDone;
}

function respond(messages: readonly Message[], delegation: Delegation | null): ModelResponse {
  const { isDone, marks } = openWork(messages);
  const usage = { inputTokens: 10, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
  if (!isDone) {
    const turn = messages.length;
    const delegated = delegation?.calls(messages, turn) ?? [];
    const uses = delegated.length === 0 ? calls(turn) : delegated;
    const content = [{ type: "text" as const, text: `Working on it, turn ${turn}. ` }, ...uses];
    return { content, stopReason: "tool_use", usage, model: "sim" };
  }
  const text = `Here it is: ${marks.join(" ")} ${"More words. ".repeat(10)}`;
  return { content: [{ type: "text", text }], stopReason: "end_turn", usage, model: "sim" };
}

/** Cuts an answer to its first half; whatever it names is named once, in one half or the other. */
function cutOff(response: ModelResponse, isCut: boolean): ModelResponse {
  if (!isCut || response.stopReason !== "end_turn") return response;
  const words = textOf(response.content).split(/(?<= )/);
  const text = words.slice(0, words.length / 2).join("");
  return { ...response, content: [{ type: "text", text }], stopReason: "max_tokens" };
}

function calls(turn: number): ToolUseBlock[] {
  return [
    { type: "tool_use", id: `look_${turn}`, name: "look", input: { n: turn } },
    { type: "tool_use", id: `launch_${turn}`, name: "launch", input: { n: Math.floor(turn / 2) } },
    ...(turn % 4 === 1 ? [{ type: "tool_use" as const, id: `note_${turn}`, name: "note", input: { n: 0 } }] : []),
  ];
}
