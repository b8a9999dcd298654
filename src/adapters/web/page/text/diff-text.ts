import { createTwoFilesPatch } from "diff";

/** Milliseconds that comparing two texts may take: then all of it counts as changed. */
const COMPARING_MS = 1_000;

/** As Markdown: the changed lines of a text with a few around them. */
export function diffText(before: string, after: string): string {
  const patch = createTwoFilesPatch("a", "b", before, after, undefined, undefined, {
    context: 3,
    timeout: COMPARING_MS,
  });
  if (patch === undefined) return "It is too different to be compared here.";
  const lines = patch.split("\n").slice(3);
  // Longer than any fence that the text itself holds.
  const longest = Math.max(0, ...lines.map((line) => /`{3,}/u.exec(line)?.[0].length ?? 0));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return [`${fence}diff`, ...lines, fence].join("\n");
}
