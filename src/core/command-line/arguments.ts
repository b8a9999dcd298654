import { didYouMean, nearest } from "./nearest.ts";
import { quoteInput } from "./quote-input.ts";
import { type ShellWord, shellWords } from "./shell-words.ts";

export interface ArgumentRules {
  /** Flags that take a value, without dashes. */
  readonly flags?: readonly string[];
  /** Maximum number of words beside flags; unlimited if absent. */
  readonly words?: number;
}

export type Arguments =
  | {
      readonly type: "read";
      readonly words: readonly string[];
      /** Values by the flag's name. */
      readonly flags: ReadonlyMap<string, string>;
    }
  /** `reason` is a sentence for the person. */
  | { readonly type: "broken"; readonly reason: string };

/**
 * Parses what a person typed after a command: words, `--flag value` and `--flag=value`. Everything after `--` is a
 * word.
 */
export function readArguments(line: string, { flags: known = [], words: most }: ArgumentRules = {}): Arguments {
  const split = shellWords(line);
  if (split.type === "broken") return split;
  const words: string[] = [];
  const flags = new Map<string, string>();
  // Reversed, because removing from the front of a long array moves all other elements.
  const rest = split.words.toReversed();
  for (let word = rest.pop(); word !== undefined; word = rest.pop()) {
    const flag = word.quoted ? null : flagOf(word.text);
    if (flag === null) {
      words.push(word.text);
    } else if (flag.name === "") {
      for (const { text } of rest.splice(0).toReversed()) words.push(text);
    } else {
      const value = flag.value ?? (isValue(rest.at(-1)) ? rest.pop()?.text : undefined);
      const problem = flagProblem(flag.name, { value, known, isTwice: flags.has(flag.name) });
      if (problem !== null) return broken(problem);
      flags.set(flag.name, value ?? "");
    }
  }
  const extra = most === undefined ? undefined : words[most];
  if (extra !== undefined) return broken(`I don't know what to do with ${quoteInput(extra)}.`);
  return { type: "read", words, flags };
}

/**
 * Splits off the first word and keeps the rest as typed, for commands that end in free text, where an apostrophe is no
 * quote.
 */
export function firstWord(line: string): { readonly word: string; readonly rest: string } {
  const trimmed = line.trim();
  const [word = ""] = /^\S*/.exec(trimmed) ?? [];
  return { word, rest: trimmed.slice(word.length).trim() };
}

/** Parses `--name` or `--name=x`. Some keyboards turn two dashes into a long one. */
function flagOf(text: string): { readonly name: string; readonly value: string | undefined } | null {
  const match = /^(?:--|—|–)([^=]*)(?:=([\s\S]*))?$/.exec(text);
  return match === null ? null : { name: match[1] ?? "", value: match[2] };
}

function isValue(word: ShellWord | undefined): boolean {
  return word !== undefined && (word.quoted || flagOf(word.text) === null);
}

function flagProblem(
  name: string,
  { value, known, isTwice }: { value: string | undefined; known: readonly string[]; isTwice: boolean },
): string | null {
  if (!known.includes(name)) {
    const all =
      known.length === 0
        ? "This command has no options."
        : `Options: ${known.map((one) => `\`--${one}\``).join(", ")}.`;
    const near = nearest(name, known).map((one) => `--${one}`);
    return `I don't know ${quoteInput(`--${name}`)}.${didYouMean(near, all)}`;
  }
  if (isTwice) return `\`--${name}\` is given twice.`;
  return value === undefined ? `\`--${name}\` needs a value: \`--${name} "…"\`.` : null;
}

function broken(reason: string): Arguments {
  return { type: "broken", reason };
}
