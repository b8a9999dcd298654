import { COMPLETED_CHARS } from "../../../render/local/frame-limits.ts";
import type { PageCommand, PageCompletion } from "../../../render/local/wire.ts";
import type { Completions } from "../state/state.ts";

/** A completion that replaces a leading slash or @ and the text typed after it. */
export interface Suggestion {
  /** The composer's text once the suggestion is accepted. */
  readonly text: string;
  readonly label: string;
  /** Arguments that may follow. */
  readonly usage: string;
  readonly description: string;
}

/** Whether to ask the server for completions: agents, and command arguments for which the page knows no words. */
export function wantsCompletions(text: string, commands: readonly PageCommand[]): boolean {
  const isOpen = /^\/[a-z-]+ .*$|^@[a-z0-9-]*$/i.test(text);
  return isOpen && text.length <= COMPLETED_CHARS && ownSuggestions(text, commands).length === 0;
}

/**
 * Commands that fit what is typed, the words that may follow a command's name, or what the server offered for it; empty
 * when there are none.
 */
export function suggestionsFor(
  text: string,
  commands: readonly PageCommand[],
  completions: Completions | null,
): readonly Suggestion[] {
  const own = ownSuggestions(text, commands);
  return own.length > 0 || completions?.text !== text ? own : completions.words.map(offered);
}

/** Splits the server's label, which is a name and, after a dot, a description. */
function offered({ text, label }: PageCompletion): Suggestion {
  const [name = "", ...description] = label.split(" · ");
  return { text, label: name, usage: "", description: description.join(" · ") };
}

function ownSuggestions(text: string, commands: readonly PageCommand[]): readonly Suggestion[] {
  const [, name, rest] = /^\/([a-z-]*)(?: ([\w-]*))?$/i.exec(text) ?? [];
  if (name === undefined) return [];
  if (rest === undefined) return commandsLike(name.toLowerCase(), commands);
  const command = commands.find((each) => each.name === name.toLowerCase());
  return (command?.words ?? [])
    .filter(({ word }) => word.startsWith(rest.toLowerCase()))
    .map(({ word, description }) => ({ text: `/${name} ${word}`, label: word, usage: "", description }));
}

/** Lists commands that begin with the letters before those that only contain them. */
function commandsLike(letters: string, commands: readonly PageCommand[]): Suggestion[] {
  const beginning = commands.filter(({ name }) => name.startsWith(letters));
  const holding = commands.filter(({ name }) => !name.startsWith(letters) && name.includes(letters));
  return [...beginning, ...holding].map(({ name, usage, description, words }) => {
    const text = usage === "" && words.length === 0 ? `/${name}` : `/${name} `;
    return { text, label: `/${name}`, usage, description };
  });
}

/** Whether the suggestion is already fully typed, so that Enter sends it. */
export function isTyped(text: string, suggestion: Suggestion): boolean {
  return text.trimEnd() === suggestion.text.trimEnd();
}
