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
  return { "disable-model-invocation": true, ...describedFields(data, body) };
}

/** Begins with front matter, after comments at most. */
const FRONT_MATTER = /^\ufeff?(?:\s*<!--(?:(?!-->)[^])*-->)*\s*---/;

const DESCRIPTION = /^["']?description["']?\s*:/m;

/** Whether nothing describes a skill, as Claude Code accepts it: it has no front matter, or one without description. */
export function isUndescribed(text: string): boolean {
  if (!FRONT_MATTER.test(text)) return /\p{L}/u.test(text);
  return /^\ufeff?---/.test(text) && !DESCRIPTION.test(text);
}

/** Adds the first line of the text as the description, unless there is one. */
export function describedFields(data: Readonly<Record<string, unknown>>, body: string): Record<string, unknown> {
  const lines = body.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  const first = lines.find((line) => /^(?!<!--).*\p{L}/u.test(line)) ?? "";
  return { description: cut(first, MAX_LINE), ...data };
}
