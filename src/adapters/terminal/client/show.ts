import type { MessageBody } from "../../render/local/wire.ts";
import { type TerminalStyle, terminalLines, tinted } from "../format.ts";
import type { Ask } from "./transcript.ts";

/** Messages as lines. */

/** A message with what stands below it. */
export function messageLines({ markdown, footer, tone, files }: Shown, style: TerminalStyle): string[] {
  const text = terminalLines(markdown, style);
  return [
    ...(tone === "error" ? text.map((line) => tinted(line, "red", style)) : text),
    ...files.map(({ name, size }) => tinted(`▤ ${name} · ${Math.ceil(size / 1_024)} KB`, "cyan", style)),
    ...(footer === undefined ? [] : dimLines(footer, style)),
  ];
}

type Shown = Pick<MessageBody, "markdown" | "tone" | "files"> & { readonly footer?: string | undefined };

export function dimLines(markdown: string, style: TerminalStyle): string[] {
  return terminalLines(markdown, { ...style, hasColour: false }).map((line) => tinted(line, "dim", style));
}

/** What is asked, and what may be typed for it. */
export function askLines({ body, choices }: Ask, style: TerminalStyle): string[] {
  const keys = choices.map(({ key, label }) => `  ${tinted(key, "bold", style)}  ${label}`);
  return ["", ...messageLines(body, style), ...keys];
}

/** `y/n/a/A`, or `1-3` */
export function keysOf({ choices }: Ask): string {
  const [first, ...rest] = choices.map(({ key }) => key);
  const last = rest.at(-1);
  if (first === undefined) return "";
  if (last === undefined) return first;
  return /^\d/u.test(first) ? `${first}-${last}` : [first, ...rest].join("/");
}
