import { addAbortListener } from "node:events";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { ReadStream } from "node:tty";
import { ConfigError } from "../core/protocol/errors.ts";

/** The process's input: a terminal or a pipe. */
export type Input = Readable & Partial<Pick<ReadStream, "isTTY">> & { setRawMode?(isRaw: boolean): unknown };

/** A password from an input (`isGiven`) or a pipe, or typed twice; null if the two differ. */
export async function newPassword(stdin: Input, isGiven: boolean): Promise<string | null> {
  if (isGiven || stdin.isTTY !== true) return firstLine(stdin);
  const first = await askHidden("New password: ", stdin);
  return (await askHidden("Repeat the password: ", stdin)) === first ? first : null;
}

/** A key from a pipe, or typed. */
export async function newKey(stdin: Input): Promise<string> {
  return stdin.isTTY === true ? askHidden("Key: ", stdin) : firstLine(stdin);
}

/** Lines from a pipe, or typed, until the signal aborts. Throws ConfigError if the person interrupts. */
export async function* typedLines(stdin: Input, signal: AbortSignal): AsyncGenerator<string> {
  // A terminal in raw mode takes lines of any length; in its usual mode it cuts them after 4,096 characters.
  const isTerminal = stdin.isTTY === true;
  const lines = createInterface({
    input: stdin,
    terminal: isTerminal,
    ...(isTerminal ? { output: process.stderr } : {}),
  });
  let isInterrupted = false;
  lines.once("SIGINT", () => {
    isInterrupted = true;
    lines.close();
  });
  using _ = addAbortListener(signal, () => lines.close());
  try {
    yield* lines;
    if (isInterrupted) throw interrupted();
  } finally {
    lines.close();
  }
}

async function firstLine(stdin: Input): Promise<string> {
  for await (const line of createInterface({ input: stdin })) return line;
  return "";
}

/** Asks on the terminal without showing what is typed. */
async function askHidden(words: string, stdin: Input): Promise<string> {
  process.stderr.write(words);
  stdin.setRawMode?.(true);
  const lines = createInterface({ input: stdin, terminal: true });
  try {
    return await new Promise((resolve, reject) => {
      lines.once("line", resolve);
      const leave = () => reject(interrupted());
      lines.once("SIGINT", leave).once("close", leave);
    });
  } finally {
    lines.close();
    stdin.setRawMode?.(false);
    process.stderr.write("\n");
  }
}

function interrupted(): ConfigError {
  return new ConfigError(["Interrupted: nothing was changed."]);
}
