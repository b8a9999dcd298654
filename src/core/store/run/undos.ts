import { z } from "zod";
import type { Client } from "../database/client.ts";

/** One file that is brought from one content to another: sha256 of its bytes, null where there is no file. */
export const fileStepSchema = z.object({
  /** Relative to the sandbox root. */
  path: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The topmost directory that had come to be with the file: it goes with it where it is left empty. */
  made: z.string().exactOptional(),
});
export type FileStep = z.infer<typeof fileStepSchema>;

/** A run whose file changes were put back. */
export interface UndoRow {
  readonly runId: string;
  readonly sessionId: string;
  /** `redone`: they were made once more, and can be put back again. */
  readonly state: "undone" | "redone";
  /** What was put back. */
  readonly files: readonly FileStep[];
  /** As people read it: `@ana`. */
  readonly by: string;
  readonly at: number;
}

const filesSchema = z.array(fileStepSchema);

export function undoReads(db: Client) {
  return {
    /** What was put back in a session, the newest first. */
    async ofSession(sessionId: string): Promise<UndoRow[]> {
      const rows = await db.runUndo.findMany({ where: { sessionId }, orderBy: { at: "desc" } });
      return rows.map((row) => ({
        ...row,
        state: row.state === "redone" ? "redone" : "undone",
        files: filesSchema.parse(JSON.parse(row.files)),
        at: row.at.getTime(),
      }));
    },
  };
}

export function undoWrites(db: Client) {
  return {
    ...undoReads(db),

    /** What was last done to a run counts. */
    async put({ runId, sessionId, state, files, by, at }: UndoRow): Promise<void> {
      const row = { sessionId, state, files: JSON.stringify(files), by, at: new Date(at) };
      await db.runUndo.upsert({ where: { runId }, create: { runId, ...row }, update: row });
    },
  };
}
