declare module "deckhand:sandbox/filesystem@0.1.0" {
  type Filesystem = import("../workspace-files.ts").Filesystem;
  export const status: Filesystem["status"];
  export const entries: Filesystem["entries"];
  export const resolve: Filesystem["resolve"];
  export const readFile: Filesystem["readFile"];
  export const writeFile: Filesystem["writeFile"];
  export const makeDirectory: Filesystem["makeDirectory"];
  export const remove: Filesystem["remove"];
  export const rename: Filesystem["rename"];
  export const copyFile: Filesystem["copyFile"];
  export const setModified: Filesystem["setModified"];
  export const compress: Filesystem["compress"];
  export const decompress: Filesystem["decompress"];
  export const digest: Filesystem["digest"];
}

declare module "deckhand:sandbox/http@0.1.0" {
  /** Takes and returns JSON as described in wasm/extension/tool.wit. Throws an error whose message is a sentence. */
  export const fetch: (request: string) => string;
}

declare module "deckhand:sandbox/console@0.1.0" {
  export const print: (line: string) => void;
}

declare module "deckhand:sandbox/clock@0.1.0" {
  export const now: () => number;
  export const zone: (
    name: string,
    at: number,
  ) => { readonly offset: number; readonly name: string } | null | undefined;
  export const stopped: () => boolean;
}
