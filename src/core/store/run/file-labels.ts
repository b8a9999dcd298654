import type { LabelledFile } from "../../trust/file-labels.ts";
import { labelFrom } from "../../trust/label.ts";
import type { Client } from "../database/client.ts";

export function fileLabelReads(db: Client) {
  return {
    /** Files under a sandbox root that were written with other people's words, even if they have changed since. */
    async inRoot(root: string): Promise<LabelledFile[]> {
      const rows = await db.fileLabel.findMany({ where: { root } });
      return rows.map(({ path, sha256, label }) => ({ path, sha256, label: labelFrom(label) }));
    },
  };
}

export function fileLabelWrites(db: Client) {
  return {
    ...fileLabelReads(db),

    async put(root: string, { path, sha256, label }: LabelledFile): Promise<void> {
      const file = { root, path, sha256 };
      const data = { label: JSON.stringify(label) };
      await db.fileLabel.upsert({ where: { root_path_sha256: file }, create: { ...file, ...data }, update: data });
    },
  };
}
