/** The `workspace` interface of wasm/wit/sandbox.wit as a guest sees it. Guests' code receives it as an argument. */
export interface Workspace {
  inspect(path: string): Facts;
  readLines(path: string, first: number, count: number): Window;
  readWhole(path: string): { readonly text: string; readonly sha256: string };
  readEncoded(path: string): { readonly base64: string; readonly sha256: string };
  hashFile(path: string): string | null;
  hashText(text: string): string;
  replaceFile(path: string, text: string, before: string | null): void;
  listFiles(path: string, options: WalkOptions): { readonly paths: string; readonly cut: boolean };
  modified(paths: string): string;
  readMatching(paths: string, first: number, prefilter: Prefilter): Batch;
}

export interface Facts {
  readonly kind: "missing" | "file" | "directory";
  readonly size: number;
  readonly mediaType: string;
}

export interface Window {
  readonly text: string;
  readonly totalLines: number;
  readonly sha256: string;
  readonly wellFormed: boolean;
}

export interface WalkOptions {
  readonly hidden: boolean;
  readonly dependencies: boolean;
  readonly maxEntries: number;
}

/** What each match contains: one of the needles or shapes, if any are given. */
export interface Prefilter {
  readonly needles: readonly string[];
  readonly foldCase: boolean;
  readonly shapes: readonly string[];
}

export interface Batch {
  readonly paths: string;
  readonly texts: readonly string[];
  readonly next: number;
  readonly skipped: number;
}

/** Thrown if a tool refuses something, with a sentence for the model; an ordinary outcome of a call. */
export class Refusal extends Error {}

export function splitPaths(joined: string): string[] {
  return joined === "" ? [] : joined.split("\0");
}
