import type { EffortLevel } from "../../../src/core/agents/query-config.ts";
import type { Message } from "../../../src/core/protocol/messages.ts";
import type { WireName } from "../../../src/core/providers/quirks.ts";
import { createProviderRegistry } from "../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { silentLog } from "../silent-log.ts";
import { user } from "../talk/conversation.ts";

interface Asked {
  readonly messages?: readonly Message[];
  readonly wire?: WireName;
  readonly provider?: string;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly effortLevel?: EffortLevel;
}

/** Answers in ways that some compatible providers use, but OpenAI itself never does. */
export async function answerWith(respond: (body: string) => Response, asked: Asked = {}) {
  const { messages = [user("hi")], wire = "chat", provider: id = "local", model: ref = "m", ...extra } = asked;
  const registry = createProviderRegistry({
    settings: { [id]: { wire, baseUrl: "http://127.0.0.1:1/v1", apiKey: "k" } },
    runtime: systemRuntime(),
    log: silentLog,
    fetch: async (_, init) => respond(typeof init?.body === "string" ? init.body : ""),
  });
  const { provider, model } = await registry.resolve(`${id}/${ref}`);
  const request = { model, system: [], messages, tools: [], maxTokens: 100, temperature: 0.5, ...extra };
  return provider.createMessage(request, new AbortController().signal);
}

/** A raw stream of server-sent events. */
export function eventStream(body: string | ReadableStream<Uint8Array<ArrayBuffer>>): Response {
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

export function answerTo(chunks: readonly unknown[], messages = [user("hi")]) {
  const body = `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
  return answerWith(() => eventStream(body), { messages });
}

/** A chunk of Chat Completions. */
export function delta(value: object, finish_reason: string | null = null) {
  return { choices: [{ delta: value, finish_reason }] };
}

/** A chunk of Chat Completions with part of a call. */
export function calling(fields: object, args: unknown, name?: string) {
  return delta({ tool_calls: [{ ...fields, function: { arguments: args, ...(name === undefined ? {} : { name }) } }] });
}
