import { createServer, type IncomingHttpHeaders } from "node:http";
import type { Fetch } from "../../../src/core/providers/stall.ts";
import { messagesDialect } from "../model/anthropic-server.ts";
import { type Dialect, listening, type ModelServer, startModelServer } from "../model/model-server.ts";
import { chatDialect } from "../model/openai-chat-dialect.ts";
import { responsesDialect } from "../model/openai-responses-dialect.ts";

function at(path: string, dialect: Dialect): Dialect {
  return { ...dialect, path };
}

/** Amazon Bedrock's runtime endpoint: three APIs, each under a path of its own. */
export function startBedrockServer(key: string): Promise<ModelServer> {
  const dialects = [
    at("/anthropic/v1/messages", messagesDialect),
    at("/openai/v1/responses", responsesDialect),
    at("/openai/v1/chat/completions", chatDialect),
  ];
  const models = { object: "list", data: [{ id: "openai.gpt-oss-120b-1:0", object: "model" }] };
  return startModelServer({ dialects, models, key, basePath: "" });
}

export const COPILOT_MODELS = {
  data: [
    {
      id: "claude-sonnet-5.5",
      supported_endpoints: ["/chat/completions", "/v1/messages"],
      capabilities: { limits: { max_context_window_tokens: 160_000, max_output_tokens: 32_000 } },
    },
    { id: "gpt-5.6-terra", supported_endpoints: ["/responses", "ws:/responses"] },
    { id: "gemini-3.8-pro" },
  ],
};

/** GitHub Copilot's API, whose model list says which API serves each model. */
export function startCopilotServer(key?: string, models: unknown = COPILOT_MODELS): Promise<ModelServer> {
  const dialects = [
    at("/v1/messages", messagesDialect),
    at("/responses", responsesDialect),
    at("/chat/completions", chatDialect),
  ];
  return startModelServer({ dialects, models, key, basePath: "" });
}

export interface CopilotExchange extends AsyncDisposable {
  /** A fetch that sends requests for GitHub's address to this server, and others to their real target. */
  readonly fetch: Fetch;
  /** Headers of each exchange. */
  readonly requests: readonly IncomingHttpHeaders[];
}

/** GitHub's exchange of an operator's token for a Copilot API token. */
export async function startCopilotExchange(
  answer: (index: number) => { readonly status?: number; readonly body: unknown },
): Promise<CopilotExchange> {
  const requests: IncomingHttpHeaders[] = [];
  const server = createServer((incoming, outgoing) => {
    const { status = 200, body } = answer(requests.length);
    requests.push(incoming.headers);
    outgoing.writeHead(incoming.url === "/copilot_internal/v2/token" ? status : 500);
    outgoing.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  const listener = await listening(server);
  return {
    fetch: (input, init) =>
      globalThis.fetch(
        typeof input === "string" ? input.replace("https://api.github.com", listener.origin) : input,
        init,
      ),
    requests,
    [Symbol.asyncDispose]: () => listener.close(),
  };
}

/** A response of the exchange with a token valid for half an hour from `now`, in milliseconds since the Unix epoch. */
export function copilotToken(token: string, { now, api }: { now: number; api?: string }): { readonly body: unknown } {
  const endpoints = api === undefined ? {} : { endpoints: { api } };
  return { body: { token, expires_at: Math.floor(now / 1_000) + 1_800, refresh_in: 1_500, ...endpoints } };
}
