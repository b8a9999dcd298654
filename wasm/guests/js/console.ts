import { inspect } from "./inspect.ts";

type Print = (...values: unknown[]) => void;

export interface CapturedConsole {
  readonly api: Readonly<Record<"log" | "info" | "debug" | "warn" | "error", Print>>;
  text(): string;
  /** Cuts a text to the console's limit, visibly. */
  cut(text: string): string;
}

/** Keeps what is printed, up to a number of characters; what is beyond is counted and let go. */
export function createConsole(maxChars: number): CapturedConsole {
  const lines: string[] = [];
  let kept = 0;
  let dropped = 0;
  const print: Print = (...values) => {
    const line = values.map((value) => (typeof value === "string" ? value : inspect(value))).join(" ");
    const room = Math.max(maxChars - kept, 0);
    if (room > 0) lines.push(line.slice(0, room));
    kept += Math.min(line.length + 1, room);
    dropped += Math.max(line.length - room, 0);
  };
  const note = (chars: number): string => `[cut after ${maxChars} characters; ${chars} more]`;
  return {
    api: { log: print, info: print, debug: print, warn: print, error: print },
    text: () => [...lines, ...(dropped > 0 ? [note(dropped)] : [])].join("\n").toWellFormed(),
    cut: (text) =>
      (text.length <= maxChars ? text : `${text.slice(0, maxChars)}\n${note(text.length - maxChars)}`).toWellFormed(),
  };
}
