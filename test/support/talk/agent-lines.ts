import { text } from "../model/model-script.ts";
import type { ModelServer, RecordedRequest, Script } from "../model/model-server.ts";

/**
 * True for a request of the sub-agent whose assignment contains these words; its parent's request contains them
 * elsewhere.
 */
export function isAssigned(request: RecordedRequest, words: string): boolean {
  return firstMessage(request).includes(words);
}

/** A person's first message, or a sub-agent's assignment. */
function firstMessage({ body }: RecordedRequest): string {
  const messages: unknown = typeof body === "object" && body !== null && "messages" in body ? body.messages : [];
  return JSON.stringify(Array.isArray(messages) ? messages[0] : "");
}

/** Ids of the sub-agents in a request's tool results, in order. */
export function agentIds({ toolResults }: RecordedRequest): string[] {
  return toolResults.flatMap(({ text }) => /agent_id: (agt_\w+)/u.exec(text)?.[1] ?? []);
}

/**
 * Plays several threads at once, each with a script and a request count of its own. A thread is recognised by words
 * that only its first message contains. Returns a function for the requests so far that begin with such words.
 */
export function playEach(
  model: ModelServer,
  scripts: Readonly<Record<string, Script>>,
): (words: string) => readonly RecordedRequest[] {
  const requestsOf = (words: string) => model.requests.filter((request) => isAssigned(request, words));
  model.script((request) => {
    const [words, script] = Object.entries(scripts).find(([each]) => isAssigned(request, each)) ?? ["", null];
    return script === null ? text("Nobody asked for this.") : script(request, requestsOf(words).length - 1);
  });
  return requestsOf;
}
