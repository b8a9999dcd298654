import { z } from "zod";
import type { Client } from "../database/client.ts";

/** A change of one file from one content to another, each the sha256 of its bytes or null if there is no file. */
const fileStepSchema = z.object({
  /** Relative to the sandbox root. */
  path: z.string(),
  from: z.string().nullable(),
  to: z.string().nullable(),
  /** The topmost directory created with the file. It is removed with the file if that leaves it empty. */
  made: z.string().exactOptional(),
});
export type FileStep = z.infer<typeof fileStepSchema>;

export interface UndoRow {
  readonly runId: string;
  readonly sessionId: string;
  /** `redone`: the changes were made again, and can be undone again. */
  readonly state: "undone" | "redone";
  /** The changes that were undone. */
  readonly files: readonly FileStep[];
  /** As people read it: `@ana`. */
  readonly by: string;
  readonly at: number;
}

const filesSchema = z.array(fileStepSchema);

export function undoReads(db: Client) {
  return {
    /** The session's undos, newest first. */
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

    /** Records the last action on a run, replacing any earlier one. */
    async put({ runId, sessionId, state, files, by, at }: UndoRow): Promise<void> {
      const row = { sessionId, state, files: JSON.stringify(files), by, at: new Date(at) };
      await db.runUndo.upsert({ where: { runId }, create: { runId, ...row }, update: row });
    },
  };
}
