import type { ContentBlock } from "../protocol/messages.ts";
import type { ModelRequest } from "./provider.ts";

/** Identifies the client in the form of an editor's extension, because Copilot serves no others. */
export const COPILOT_HEADERS: Readonly<Record<string, string>> = {
  "editor-version": "Deckhand/1.0",
  "editor-plugin-version": "deckhand/1.0",
  "copilot-integration-id": "vscode-chat",
};

/** Copilot counts people's requests separately from follow-up calls, and rejects images that are not announced. */
export function copilotRequestHeaders({ messages }: ModelRequest): Readonly<Record<string, string>> {
  const newest = messages.at(-1);
  const byPerson = newest?.role === "user" && newest.content.some(({ type }) => type !== "tool_result");
  const images = messages.some(({ content }) => content.some(holdsImage));
  return { "x-initiator": byPerson ? "user" : "agent", ...(images ? { "copilot-vision-request": "true" } : {}) };
}

function holdsImage(block: ContentBlock): boolean {
  return block.type === "image" || (block.type === "tool_result" && block.content.some(({ type }) => type === "image"));
}
