import { z } from "zod";

/** What a program printed, as its guest hands it over: the end of it when it is long (wasm/guests/runtime/overflow.ts). */
export const outputSchema = z.object({
  text: z.string(),
  lines: z.int(),
  file: z.string().nullable(),
  cut: z.boolean(),
});
export type Output = z.infer<typeof outputSchema>;

/** Where whole outputs go, relative to the sandbox root; git and searches leave it out. */
export const OUTPUT_DIRECTORY = ".deckhand-output";

/** Lines under a heading; none for an empty output. */
export function shownOutput(name: string, output: Output): string[] {
  if (output.text === "") return [];
  return [`${name}:`, ...(output.cut ? [aboutCut(output)] : []), output.text.replace(/\n$/, "")];
}

function aboutCut({ lines, file }: Output): string {
  const where = file === null ? "the rest could not be kept" : `all of it: ${file}`;
  return `[${lines} lines; this is their end, ${where}]`;
}

export function linesSummary(lines: number): string {
  if (lines === 0) return "done";
  return lines === 1 ? "1 line" : `${lines} lines`;
}
