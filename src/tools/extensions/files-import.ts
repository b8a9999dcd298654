import type { WorkspaceImport } from "../wasm/workspace/workspace.ts";

/** The import `deckhand:extension/files` (wasm/extension/tool.wit), over what our own guests have. */
export interface FilesImport {
  readText(path: string): string;
  readBase64(path: string): string;
  listFiles(path: string): string[];
  writeText(path: string, text: string): void;
}

const MAX_ENTRIES = 100_000;

export function createFilesImport(workspace: WorkspaceImport): FilesImport {
  return {
    readText: (path) => workspace.readWhole(path).text,
    readBase64: (path) => workspace.readEncoded(path).base64,
    listFiles: (path) => {
      const { paths } = workspace.listFiles(path, { hidden: false, dependencies: false, maxEntries: MAX_ENTRIES });
      return paths === "" ? [] : paths.split("\0");
    },
    writeText: (path, text) => workspace.replaceFile(path, text, workspace.hashFile(path)),
  };
}
