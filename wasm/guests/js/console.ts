import { print as tellHost } from "deckhand:sandbox/console@0.1.0";
import { inspect } from "./inspect.ts";

type Print = (...values: unknown[]) => void;

export interface CapturedConsole {
  readonly api: Readonly<Record<string, Print>>;
  text(): string;
}

/** Number of characters to keep at least; at twice as many, the older half of the lines is dropped. */
const MAX_HELD = 1_048_576;

/** Maximum characters of a line passed to the host at once; the end of the line is kept. */
const MAX_TOLD = 65_536;

/** Captures printed output, and reports how much of it was dropped. */
export function createConsole(): CapturedConsole {
  let lines: string[] = [];
  let held = 0;
  let dropped = 0;
  const print: Print = (...values) => {
    const line = values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" ");
    tellHost(line.slice(-MAX_TOLD).toWellFormed());
    lines.push(line.length > MAX_HELD ? line.slice(-MAX_HELD) : line);
    dropped += Math.max(line.length - MAX_HELD, 0);
    held += Math.min(line.length, MAX_HELD) + 1;
    if (held > MAX_HELD * 2) dropOlderHalf();
  };
  const dropOlderHalf = (): void => {
    const older = lines.slice(0, Math.ceil(lines.length / 2));
    lines = lines.slice(older.length);
    const chars = older.reduce((sum, line) => sum + line.length + 1, 0);
    held -= chars;
    dropped += chars;
  };
  const check: Print = (holds, ...values) => {
    if (!holds) print("Assertion failed", ...values);
  };
  return {
    api: {
      log: print,
      info: print,
      debug: print,
      warn: print,
      error: print,
      trace: print,
      dir: print,
      table: print,
      assert: check,
    },
    text: () => [...(dropped > 0 ? [`[${dropped} characters before this were dropped]`] : []), ...lines].join("\n"),
  };
}
