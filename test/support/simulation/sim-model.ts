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
import type { SimProcess, World } from "./world.ts";

/** A request of a person in the simulation: so many turns with tools, then an answer that names the id. */
export function askText(id: string, turns: number): string {
  return `ask ${id} ${turns}`;
}

/** What the answer to a request contains, once. */
export function answerMark(id: string): string {
  return `done-${id}.`;
}

/** Calls of the model so far: those that reached it, and of these the ones that it refused. */
export interface CallTally {
  sent: number;
  refused: number;
}

interface SimModelOptions {
  readonly world: World;
  readonly process: SimProcess;
  readonly tally: CallTally;
  readonly faultRate: number;
  /** Until then the model `sim` has no capacity; `other` has. Milliseconds since the epoch. */
  readonly overloadedUntil: number;
}

/**
 * A model that works each request off: as many turns with tools as it asks for, then one answer that
 * names every request since the last answer. It fails now and then, in no conversation twice in a row: a run
 * that fails as often as it may ends with an error, and rightly so. Answers may be cut off by the output limit.
 */
export function simRegistry({ world, process, tally, faultRate, overloadedUntil }: SimModelOptions): ProviderRegistry {
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
      const response = cutOff(respond(request.messages), world.random.next() < faultRate);
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

function respond(messages: readonly Message[]): ModelResponse {
  const lastAnswer = messages.findLastIndex(
    (message, index) =>
      message.role === "assistant" &&
      toolUsesOf(message.content).length === 0 &&
      !messages.slice(index + 1, index + 2).some(isResume),
  );
  const open = messages.slice(lastAnswer + 1);
  const said = open.filter((message) => message.role === "assistant").map((message) => textOf(message.content));
  const asks = open.flatMap((message) => [...textOf(message.content).matchAll(/ask (\S+) (\d+)/g)]);
  const turnsDone = open.filter((message) => message.role === "assistant").length;
  const turnsWanted = Math.max(0, ...asks.map((ask) => Number(ask[2])));
  const usage = { inputTokens: 10, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 };
  if (turnsDone < turnsWanted) {
    const turn = messages.length;
    const content = [{ type: "text" as const, text: `Working on it, turn ${turn}. ` }, ...calls(turn)];
    return { content, stopReason: "tool_use", usage, model: "sim" };
  }
  const marks = asks.map((ask) => answerMark(ask[1] ?? "")).filter((mark) => !said.join("").includes(mark));
  const text = `Here it is: ${marks.join(" ")} ${"More words. ".repeat(10)}`;
  return { content: [{ type: "text", text }], stopReason: "end_turn", usage, model: "sim" };
}

/** An answer whose first half is all there is; what it names is named once, in one half or the other. */
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
