import { type ModelServer, startModelServer } from "./model-server.ts";
import { chatDialect } from "./openai-chat-dialect.ts";
import { responsesDialect } from "./openai-responses-dialect.ts";

export type OpenAiServer = ModelServer;

/**
 * A strict local server for OpenAI Responses and Chat Completions on a free port; `url` ends in `/v1`, for
 * `OPENAI_BASE_URL`. Unlike third-party mocks, it rejects orphaned and unanswered calls.
 */
export function startOpenAiServer({ key }: { key?: string } = {}): Promise<OpenAiServer> {
  const models = {
    object: "list",
    data: [{ id: "gpt-6.1-sol", object: "model", created: 1_790_000_000, owned_by: "openai" }],
  };
  return startModelServer({ dialects: [responsesDialect, chatDialect], models, key, basePath: "/v1" });
}
