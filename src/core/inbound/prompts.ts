import type { Button } from "../protocol/platform.ts";

/** Words that Deckhand suggests where somebody meets it first; a click says them. */
export interface SuggestedPrompt {
  readonly id: string;
  readonly title: string;
  /** A command, or what an agent is asked. */
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

/** The prompt that a button stands for; null when it is another button. */
export function clickedPrompt(action: string): SuggestedPrompt | null {
  if (!action.startsWith(VERB)) return null;
  return PROMPTS.find(({ id }) => id === action.slice(VERB.length)) ?? null;
}

/** What is asked when somebody points at a message without words: by a reaction on it, or a command of its menu. */
export const ABOUT_MESSAGE =
  "The quoted message is pointed out to you. Do what it asks for, or answer it; if it asks for nothing, say what it means and what should be done.";

/** The id of that command of a message's menu on Slack: in its manifest, and in what it then sends. */
export const ASK_SHORTCUT = "deckhand_ask";
