/** A program's output, or only its end. */
export interface Output {
  readonly text: string;
  /** Number of lines of the whole output. */
  readonly lines: number;
  /** File with the whole output, relative to the sandbox root; null if nothing was cut or it could not be kept. */
  readonly file: string | null;
  readonly cut: boolean;
}
