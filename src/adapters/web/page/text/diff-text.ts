import { createTwoFilesPatch } from "diff";

/** Time limit of a comparison, after which the whole text counts as changed. In milliseconds. */
const COMPARING_MS = 1_000;

/** Returns the changed lines with some context, as Markdown. */
export function diffText(before: string, after: string): string {
  const patch = createTwoFilesPatch("a", "b", before, after, undefined, undefined, {
    context: 3,
    timeout: COMPARING_MS,
  });
  if (patch === undefined) return "The differences are too large to show here.";
  const lines = patch.split("\n").slice(3);
  // The fence must be longer than any fence within the text.
  const longest = Math.max(0, ...lines.map((line) => /`{3,}/u.exec(line)?.[0].length ?? 0));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return [`${fence}diff`, ...lines, fence].join("\n");
}
