import { Buffer } from "node:buffer";
import { FileFailure } from "../workspace/file-failure.ts";
import { Refusal } from "../workspace/refusal.ts";
import type { Workspace } from "../workspace/workspace.ts";

/**
 * Implements the import `deckhand:extension/files` (wasm/extension/tool.wit) on the imports of Deckhand's own guests.
 */
export interface FilesImport {
  readText(path: string): string;
  readBase64(path: string): string;
  listFiles(path: string): string[];
  writeText(path: string, text: string): void;
}

const MAX_ENTRIES = 100_000;

export function createFilesImport({ functions, filesystem }: Workspace): FilesImport {
  return {
    readText: (path) => functions.readWhole(path).text,
    readBase64: (path) => functions.readEncoded(path).base64,
    listFiles: (path) => {
      const { paths } = functions.listFiles(path, { hidden: false, dependencies: false, maxEntries: MAX_ENTRIES });
      return paths === "" ? [] : paths.split("\0");
    },
    writeText: (path, text) =>
      withSentence(path, () => {
        const parent = path.slice(0, Math.max(0, path.lastIndexOf("/")));
        if (parent !== "") filesystem.makeDirectory(parent, true);
        filesystem.writeFile(path, Buffer.from(text).toString("latin1"), false);
      }),
  };
}

/** Replaces the failure of a file operation by the error sentence that this import uses. */
function withSentence(path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof FileFailure)) throw error;
    const { code, sentence } = error.payload;
    throw new Refusal(sentence === "" ? `${path} cannot be written: ${code}.` : sentence);
  }
}
