import { z } from "zod";
import { labelSchema } from "../trust/label.ts";
import { authorSchema, contentBlockSchema } from "./messages.ts";

/** A file as a tool call left it. `sha256` is of the whole file's bytes, null when it is gone, or that is not known. */
export const fileStateSchema = z.object({
  path: z.string(),
  sha256: z.string().nullable(),
  action: z.enum(["read", "wrote"]),
  /** The content that a written file had before the call, null when there was none; absent when that was not kept. */
  before: z.string().nullable().exactOptional(),
  /** It looks like a secret, and the session has not read it by this. */
  sealed: z.literal(true).exactOptional(),
  /** The topmost directory that came to be with a new file. */
  made: z.string().exactOptional(),
});
export type FileState = z.infer<typeof fileStateSchema>;

/** Where whole outputs of programs are kept, relative to the sandbox root; git and searches leave it out. */
export const OUTPUT_DIRECTORY = ".deckhand-output";

/** A whole output is kept for the model to read on: nobody has asked for it, and undone it would be in the way of what was. */
export function isKeptOutput(path: string): boolean {
  return path.startsWith(`${OUTPUT_DIRECTORY}/`);
}

/** What a tool call came to. A failure is data, too: `isError` with a text that tells the model what to do. */
export const toolResultSchema = z.object({
  content: z.array(contentBlockSchema.options[0].or(contentBlockSchema.options[1]).or(contentBlockSchema.options[2])),
  isError: z.boolean(),
  /** A few words for the progress line, e.g. `12 lines`. */
  summary: z.string().optional(),
  /** How the command that was run has ended; absent where none was, or not to its end. */
  exitCode: z.int().exactOptional(),
  /** Files read or written: the base of “read before edit” and of the list of what was changed. */
  files: z.array(fileStateSchema).optional(),
  /** The call may have changed what nobody here sees, beside `files`; false: it certainly has not. */
  mayHaveChanged: z.boolean().exactOptional(),
  /** Whose words the result holds: with it they have entered the run. */
  people: z.array(authorSchema).exactOptional(),
  /** Whose it is and what it holds, where the tool knows that better than of all its calls alike. */
  label: labelSchema.exactOptional(),
  /** What the tool's next call in the session is given, e.g. a working directory; the model does not see it. */
  toolState: z.string().optional(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;

export function textResult(text: string, extra: Partial<Omit<ToolResult, "content" | "isError">> = {}): ToolResult {
  return { content: [{ type: "text", text }], isError: false, ...extra };
}

export function errorResult(text: string, summary?: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true, ...(summary === undefined ? {} : { summary }) };
}

/** All of a result as text; what is none is named. */
export function textOfResult({ content }: ToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
