/** What a command needs of the process that runs it. */
export interface Terminal {
  out(line: string): void;
  error(line: string): void;
  /** The process ends with code 1 once its work is done. */
  fail(): void;
}

export function processTerminal(): Terminal {
  return {
    out: (line) => process.stdout.write(`${line}\n`),
    error: (line) => process.stderr.write(`${line}\n`),
    fail: () => {
      process.exitCode = 1;
    },
  };
}
