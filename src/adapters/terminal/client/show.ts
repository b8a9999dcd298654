import { plainLine } from "../../../core/text/plain-text.ts";
import type { MessageBody, PageFile } from "../../render/local/wire.ts";
import { type TerminalStyle, terminalLines, tinted } from "../format.ts";
import type { Card } from "./transcript.ts";

/** Converts messages to lines. */

export const PROMPT = "› ";

/** Maximum length of a file's name or a button's label, in characters. */
const NAME_CHARS = 255;

export function messageLines({ markdown, footer, tone, files }: Shown, style: TerminalStyle): string[] {
  const text = terminalLines(markdown, style);
  return [
    ...(tone === "error" ? text.map((line) => tinted(line, "red", style)) : text),
    ...files.map((file) => tinted(fileLine(file), "cyan", style)),
    ...(footer === undefined ? [] : dimLines(footer, style)),
  ];
}

/** `▤ report.md · 5 KB` */
export function fileLine({ name, size }: Pick<PageFile, "name" | "size">): string {
  return `▤ ${plainLine(name, NAME_CHARS)} · ${Math.ceil(size / 1_024)} KB`;
}

type Shown = Pick<MessageBody, "markdown" | "tone" | "files"> & { readonly footer?: string | undefined };

export function dimLines(markdown: string, style: TerminalStyle): string[] {
  return terminalLines(markdown, { ...style, hasColour: false }).map((line) => tinted(line, "dim", style));
}

/** A card with the keys for it. */
export function cardLines(card: Card, style: TerminalStyle): string[] {
  return ["", ...messageLines(card.body, style), ...choiceLines(card, style)];
}

/** Notes that more cards wait. Each is shown with its keys in turn. */
export function waitingCardLines(waitedFor: readonly Card[], style: TerminalStyle): string[] {
  return dimLines(`⏸ ${waitedFor.length - 1} more to decide after this.`, style);
}

export function choiceLines({ choices }: Card, style: TerminalStyle): string[] {
  return choices.map(({ key, label }) => `  ${tinted(key, "bold", style)}  ${plainLine(label, NAME_CHARS)}`);
}

/** The prompt, with the keys for the open card. */
export function promptOf(card: Card | null): string {
  return card === null || card.choices.length === 0 ? PROMPT : `[${keysOf(card)}] ${PROMPT}`;
}

/** `y/n/a/A`, or `1-3` */
function keysOf({ choices }: Card): string {
  const [first, ...rest] = choices.map(({ key }) => key);
  const last = rest.at(-1);
  if (first === undefined) return "";
  if (last === undefined) return first;
  return /^\d/u.test(first) ? `${first}-${last}` : [first, ...rest].join("/");
}
