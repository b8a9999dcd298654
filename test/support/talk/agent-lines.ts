import type { RecordedRequest } from "../model/model-server.ts";

/** True for a request of the sub-agent whose assignment holds these words; its parent's hold them elsewhere. */
export function isAssigned(request: RecordedRequest, words: string): boolean {
  return firstMessage(request).includes(words);
}

/** What somebody asked first, or what a sub-agent was assigned. */
function firstMessage({ body }: RecordedRequest): string {
  const messages: unknown = typeof body === "object" && body !== null && "messages" in body ? body.messages : [];
  return JSON.stringify(Array.isArray(messages) ? messages[0] : "");
}

/** Ids of the sub-agents that a request's results tell of, in order. */
export function agentIds({ toolResults }: RecordedRequest): string[] {
  return toolResults.flatMap(({ text }) => /agent_id: (agt_\w+)/u.exec(text)?.[1] ?? []);
}
