import { cut } from "../../core/text/plain-text.ts";

/** Commands as other programs keep them: one file each, whose text a person requests by its name. */

/** Maximum characters of the description taken from the text if the file gives none. */
const MAX_LINE = 120;

/**
 * Interprets a command's front matter: the command has its file's name, is for people, and by default is described by
 * its first line.
 */
export function commandFields(
  { name: _name, ...data }: Readonly<Record<string, unknown>>,
  body: string,
): Record<string, unknown> {
  return { ...bareFields({}, body), "disable-model-invocation": true, ...data };
}

/** Begins with front matter, after comments at most. */
const FRONT_MATTER = /^\ufeff?(?:\s*<!--(?:(?!-->)[^])*-->)*\s*---/;

/** Whether a skill is only a text that says something, as Claude Code accepts it. */
export function isBare(text: string): boolean {
  return /\p{L}/u.test(text) && !FRONT_MATTER.test(text);
}

/** The fields of a file without front matter: it is described by its first line. */
export function bareFields(_none: object, body: string): Record<string, unknown> {
  const lines = body.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  return { description: cut(lines.find((line) => /^(?!<!--).*\p{L}/u.test(line)) ?? "", MAX_LINE) };
}
