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
  const lines = body.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  const first = lines.find((line) => /\p{L}/u.test(line)) ?? "";
  return { description: cut(first, MAX_LINE), "disable-model-invocation": true, ...data };
}
