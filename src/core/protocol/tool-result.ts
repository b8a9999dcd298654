import { z } from "zod";
import { labelSchema } from "../trust/label.ts";
import { authorSchema, contentBlockSchema } from "./messages.ts";

/** A file as a tool call left it. `sha256` is of the whole file; null if the file is gone or its hash is unknown. */
export const fileStateSchema = z.object({
  path: z.string(),
  sha256: z.string().nullable(),
  action: z.enum(["read", "wrote"]),
  /** Content of a written file before the call, null if there was none; absent if it was not kept. */
  before: z.string().nullable().exactOptional(),
  /** The file looks like a secret, and this call does not count as the session having read it. */
  sealed: z.literal(true).exactOptional(),
  /** The topmost directory created with a new file. */
  made: z.string().exactOptional(),
});
export type FileState = z.infer<typeof fileStateSchema>;

/** Where complete outputs of programs are kept, relative to the sandbox root. Git and searches ignore it. */
export const OUTPUT_DIRECTORY = ".deckhand-output";

/**
 * Whether the file is a kept output, which is only there for the model to read. Nobody asked for it, so it is no change
 * to list or undo.
 */
export function isKeptOutput(path: string): boolean {
  return path.startsWith(`${OUTPUT_DIRECTORY}/`);
}

/** Result of a tool call. A failure is data too: `isError`, with a text that tells the model what to do. */
export const toolResultSchema = z.object({
  content: z.array(contentBlockSchema.options[0].or(contentBlockSchema.options[1]).or(contentBlockSchema.options[2])),
  isError: z.boolean(),
  /** Tools that the rest of the run is limited to; absent if the call limits nothing. */
  narrowsTo: z.array(z.string()).readonly().exactOptional(),
  /** A few words for the progress line, such as `12 lines`. */
  summary: z.string().optional(),
  /** Exit code of the command; absent if none was run, or not to its end. */
  exitCode: z.int().exactOptional(),
  /** Files read or written, for “read before edit” and for the list of changed files. */
  files: z.array(fileStateSchema).optional(),
  /** Whether the call may have had effects beyond `files`; false if it certainly had none. */
  mayHaveChanged: z.boolean().exactOptional(),
  /** People whose words the result holds, and thereby brings into the run. */
  people: z.array(authorSchema).exactOptional(),
  /** Label of this result, if the tool knows it better than the label for all its calls. */
  label: labelSchema.exactOptional(),
  /** Passed to the tool's next call in the session, such as a working directory. The model does not see it. */
  toolState: z.string().optional(),
});
export type ToolResult = z.infer<typeof toolResultSchema>;

export function textResult(text: string, extra: Partial<Omit<ToolResult, "content" | "isError">> = {}): ToolResult {
  return { content: [{ type: "text", text }], isError: false, ...extra };
}

export function errorResult(text: string, summary?: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true, summary };
}

/** The whole result as text, with a placeholder for each part that is not text. */
export function textOfResult({ content }: ToolResult): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
}
