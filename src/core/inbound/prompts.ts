import type { Button } from "../platform/outgoing.ts";

/** A request that Deckhand suggests to newcomers. A click sends it. */
export interface SuggestedPrompt {
  readonly id: string;
  readonly title: string;
  /** A command, or a request to an agent. */
  readonly message: string;
}

export const PROMPTS: readonly SuggestedPrompt[] = [
  { id: "help", title: "What can you do here?", message: "/help" },
  {
    id: "look",
    title: "Look around",
    message: "What is in this channel's directory? List its files and say what they are for.",
  },
];

const VERB = "prompt:";

export function promptButtons(): readonly Button[] {
  return PROMPTS.map(({ id, title }) => ({ id: `${VERB}${id}`, label: title, style: "default" }));
}

/** The prompt that a button stands for; null for other buttons. */
export function clickedPrompt(action: string): SuggestedPrompt | null {
  if (!action.startsWith(VERB)) return null;
  return PROMPTS.find(({ id }) => id === action.slice(VERB.length)) ?? null;
}

/** The request when somebody points at a message without words, by a reaction or a command in its menu. */
export const ABOUT_MESSAGE =
  "Someone wants you to look at the quoted message. Do what it asks for, or answer it; if it asks for nothing, say what it means and what should be done.";

/** The id of that menu command on Slack, in the manifest and in the payloads that Slack sends. */
export const ASK_SHORTCUT = "deckhand_ask";
