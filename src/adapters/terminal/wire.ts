import { StringDecoder } from "node:string_decoder";
import { z } from "zod";
import { idSchema, personFrameSchemas, type ThreadFrame, threadFrames } from "../render/local/wire.ts";
import { TERMINAL_LIMITS } from "./limits.ts";

/** The protocol between terminal and program: JSON, one frame per line. */

/** Uploads a file for the next message, which refers to it by the hash of its content. */
const fileSchema = z.object({
  type: z.literal("file"),
  name: z.string().min(1).max(255),
  mediaType: z.string().max(255),
  /** In base64. */
  data: z.base64().max(Math.ceil((TERMINAL_LIMITS.attachmentBytes * 4) / 3) + 4),
});
/** Asks whether a run of the thread is active. */
const lookSchema = z.object({ type: z.literal("look"), threadId: idSchema });

/** Requests the content of a message's file. */
const fetchSchema = z.object({ type: z.literal("fetch"), fileId: idSchema });

export const clientFrameSchema = z.discriminatedUnion("type", [
  ...personFrameSchemas,
  fileSchema,
  fetchSchema,
  lookSchema,
]);
export type ClientFrame = z.infer<typeof clientFrameSchema>;

/** Answers `look`; null if no run is active. */
const stateSchema = z.object({
  type: z.literal("state"),
  threadId: z.string(),
  state: z.enum(["working", "waiting"]).nullable(),
});

/** Answers `fetch`. `data`: in base64; null if there is no such file, or it cannot be read. */
const contentSchema = z.object({ type: z.literal("content"), fileId: z.string(), data: z.string().nullable() });

export type ServerFrame = ThreadFrame | Readonly<z.infer<typeof stateSchema> | z.infer<typeof contentSchema>>;

/** The frames and fields that a terminal understands; the program may be of another version. */
export const serverFrameSchema = z.discriminatedUnion("type", [
  threadFrames.welcome
    .pick({ type: true, threads: true })
    .extend({ commands: z.array(z.object({ name: z.string() })) }),
  threadFrames.thread.pick({ type: true, messages: true }),
  threadFrames.message.pick({ type: true, message: true }),
  threadFrames.sent.pick({ type: true, clientId: true }),
  threadFrames.clicked,
  threadFrames.completions,
  threadFrames.reply,
  threadFrames.failed,
  threadFrames.rejected,
  threadFrames.status,
  stateSchema,
  contentSchema,
]);
export type ParsedServerFrame = z.infer<typeof serverFrameSchema>;

/** Splits a stream into lines. False once a line is longer than `maxBytes`, which is counted in UTF-16 units. */
export function createLineReader(maxBytes: number, take: (line: string) => void): (bytes: Buffer) => boolean {
  const decoder = new StringDecoder("utf8");
  let parts: string[] = [];
  let length = 0;
  return (bytes) => {
    const pieces = decoder.write(bytes).split("\n");
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) {
        const line = parts.join("");
        parts = [];
        length = 0;
        if (line.trim() !== "") take(line);
      }
      length += piece.length;
      if (length > maxBytes) return false;
      if (piece !== "") parts.push(piece);
    }
    return true;
  };
}
