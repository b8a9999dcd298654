/** The end of what a program printed, or all of it. */
export interface Output {
  readonly text: string;
  /** Lines of the whole. */
  readonly lines: number;
  /** The file that has the whole, relative to the sandbox root; null when nothing was cut, or it could not be kept. */
  readonly file: string | null;
  readonly cut: boolean;
}
