/** What a command needs of the process that runs it. */
export interface Terminal {
  out(line: string): void;
  error(line: string): void;
  /** The process ends with code 1 once its work is done. */
  fail(): void;
}

/** Where whoever reads the output, or a log in it, has gone, or its disk is full, lines are lost and work goes on. */
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
