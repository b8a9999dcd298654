/** The host's request: a file, whose name tells nothing, and how much of its text is wanted. */
export interface DocumentRequest {
  readonly base64: string;
  /** As many characters, or these lines with their numbers. */
  readonly wanted: { readonly chars: number } | LinesWanted;
}

export interface LinesWanted {
  /** The path that a refusal names. */
  readonly path: string;
  /** First line, counted from 1. */
  readonly offset: number;
  /** Number of lines. */
  readonly limit: number;
}
