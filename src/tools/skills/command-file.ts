import { cut } from "../../core/text/plain-text.ts";

/** Commands as other programs keep them: a file each, whose text is what a person asks for by its name. */

/** Characters of the line that says what a command is for, where its file does not. */
const MAX_LINE = 120;

/** What a command's front matter means: it is called as its file is, by people, and says what it is for by its first line. */
export function commandFields(
  { name: _name, ...data }: Readonly<Record<string, unknown>>,
  body: string,
): Record<string, unknown> {
  const lines = body.split("\n").map((line) => line.replace(/^#+\s*/, "").trim());
  const first = lines.find((line) => /\p{L}/u.test(line)) ?? "";
  return { description: cut(first, MAX_LINE), "disable-model-invocation": true, ...data };
}
