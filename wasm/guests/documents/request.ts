/** The host's request: a file, whose name tells nothing, and how much of its text is wanted. */
export interface DocumentRequest {
  readonly base64: string;
  readonly maxChars: number;
}
