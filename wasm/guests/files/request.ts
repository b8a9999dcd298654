/** Requests of the native file tools to this guest. A plan changes nothing; a commit does what was planned. */
export type FilesRequest =
  | ReadRequest
  | (WriteRequest & { readonly op: "plan_write"; readonly known: string | null })
  | (WriteRequest & { readonly op: "commit_write"; readonly before: string | null })
  | (EditRequest & { readonly op: "plan_edit"; readonly known: string | null })
  | (EditRequest & { readonly op: "commit_edit"; readonly before: string | null })
  | (WriteRequest & { readonly op: "preview_write" })
  | (EditRequest & { readonly op: "preview_edit" })
  | { readonly op: "hash"; readonly path: string }
  | { readonly op: "hash_all"; readonly paths: readonly string[] }
  | GlobRequest
  | GrepRequest;

export interface ReadRequest {
  readonly op: "read";
  readonly path: string;
  /** First line, counted from 1. */
  readonly offset: number;
  /** Number of lines. */
  readonly limit: number;
}

export interface WriteRequest {
  readonly path: string;
  readonly content: string;
}

export interface EditRequest {
  readonly path: string;
  readonly oldText: string;
  readonly newText: string;
  readonly replaceAll: boolean;
}

export interface GlobRequest {
  readonly op: "glob";
  readonly pattern: string;
  readonly path: string;
  readonly sort: "path" | "modified";
  readonly offset: number;
  readonly limit: number;
}

export interface GrepRequest {
  readonly op: "grep";
  readonly pattern: string;
  readonly path: string;
  readonly glob: string | null;
  readonly type: string | null;
  readonly mode: "content" | "files_with_matches" | "count";
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  /** Number of lines shown before and after a match. */
  readonly before: number;
  readonly after: number;
  readonly offset: number;
  readonly limit: number;
}
