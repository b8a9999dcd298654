/** A command's access to its process. */
export interface Terminal {
  out(line: string): void;
  error(line: string): void;
  /** Makes the process end with exit code 1 after its work. */
  fail(): void;
}

/** The real terminal. If its reader has gone or the disk is full, lines are lost but work continues. */
export function processTerminal(): Terminal {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    error: (line) => process.stderr.write(`${line}\n`),
    fail: () => {
      process.exitCode = 1;
    },
  };
}
