import type { ContentBlock } from "../../protocol/messages.ts";
import type { Clock, Ids } from "../../protocol/runtime.ts";
import { DEMO_PROVIDER } from "../catalog.ts";
import type { LlmProvider, ModelRequest, ModelResponse, StreamEvent } from "../provider.ts";
import { nextStep, type Step } from "./plan.ts";

const MODEL = "scripted";
/** Size of streamed pieces in whole characters, and the pause between them, which reads like a quick typist. */
const CHUNK = /.{1,16}/gsu;
const CHUNK_PAUSE_MS = 4;
/** Rough size of a token, since the usage is only an estimate. */
const CHARS_PER_TOKEN = 4;

/**
 * A scripted stand-in for a model, with which Deckhand can be tried without a key. It really calls tools, says what it
 * is, and costs nothing.
 */
export function createDemoProvider({ clock, ids }: { clock: Clock; ids: Ids }): LlmProvider {
  async function* stream(request: ModelRequest, signal: AbortSignal): AsyncGenerator<StreamEvent> {
    signal.throwIfAborted();
    const step = nextStep(request);
    for (const text of step.text.match(CHUNK) ?? []) {
      yield { type: "text", text };
      await clock.sleep(CHUNK_PAUSE_MS, signal);
    }
    const content = contentOf(step, ids);
    for (const block of content)
      if (block.type === "tool_use") yield { type: "tool_use", id: block.id, name: block.name };
    yield { type: "end", response: responseOf(step, { content, request }) };
  }

  return {
    id: DEMO_PROVIDER,
    name: "Demo",
    createMessageStream: stream,
    async createMessage(request, signal) {
      signal.throwIfAborted();
      const step = nextStep(request);
      return responseOf(step, { content: contentOf(step, ids), request });
    },
    async listModels() {
      return [{ id: MODEL }];
    },
  };
}

function contentOf(step: Step, ids: Ids): ContentBlock[] {
  const text: ContentBlock = { type: "text", text: step.text };
  if (step.type === "answer") return [text];
  const origin = { provider: DEMO_PROVIDER, model: MODEL };
  return [text, { type: "tool_use", id: ids.next("call"), name: step.tool, input: step.input, origin }];
}

function responseOf(
  step: Step,
  { content, request }: { content: readonly ContentBlock[]; request: ModelRequest },
): ModelResponse {
  return {
    content,
    stopReason: step.type === "call" ? "tool_use" : "end_turn",
    usage: {
      inputTokens: tokens(JSON.stringify([request.system, request.messages])),
      outputTokens: tokens(JSON.stringify(content)),
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    },
    model: MODEL,
  };
}

function tokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}
