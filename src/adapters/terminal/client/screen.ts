import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { fitted, type TerminalStyle } from "../format.ts";

/** The display of a conversation. */
export interface Screen {
  readonly style: () => TerminalStyle;
  print(lines: readonly string[]): void;
  /** Replaces the lines at the bottom; without a terminal, these are not shown. */
  live(lines: readonly string[]): void;
}

export interface ScreenStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Used if the terminal reports no size. */
const USUAL_WIDTH = 80;
const USUAL_HEIGHT = 24;
/** Maximum rows of a live message, because rows scrolled off the screen cannot be replaced. */
const LIVE_ROWS = 12;

export interface ScreenOptions {
  readonly stream: ScreenStream;
  /** False if NO_COLOR is set or TERM has no colours. Source: no-color.org. */
  readonly hasColour: boolean;
  /** The input line at the bottom; null if there is none. */
  readonly input: () => Interface | null;
}

export function createScreen(options: ScreenOptions): Screen {
  return options.stream.isTTY === true ? new TerminalScreen(options) : plainScreen(options);
}

function plainScreen({ stream }: ScreenOptions): Screen {
  return {
    style: () => ({ width: Number.MAX_SAFE_INTEGER, hasColour: false }),
    print: (lines) => {
      if (lines.length > 0) stream.write(`${lines.join("\n")}\n`);
    },
    live: () => {},
  };
}

/** Keeps the live lines and the input line at the bottom, and redraws them on each change. */
class TerminalScreen implements Screen {
  readonly #options: ScreenOptions;
  #live: readonly string[] = [];

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  style(): TerminalStyle {
    const { stream, hasColour } = this.#options;
    // The last column stays free, since some terminals wrap when it is written. A terminal of unknown size reports 0.
    return { width: (stream.columns || USUAL_WIDTH) - 1, hasColour };
  }

  print(lines: readonly string[]): void {
    this.#draw(lines, this.#live);
  }

  live(lines: readonly string[]): void {
    const { stream } = this.#options;
    const rows = Math.max(1, Math.min(LIVE_ROWS, (stream.rows || USUAL_HEIGHT) - 4));
    const { width } = this.style();
    const shown = lines.slice(0, 1).concat(lines.slice(1).slice(1 - rows));
    this.#draw(
      [],
      shown.map((line) => (stripVTControlCharacters(line) === line ? fitted(line, width) : line)),
    );
  }

  #draw(lines: readonly string[], live: readonly string[]): void {
    const { stream } = this.#options;
    const input = this.#options.input();
    const typedRows = input?.getCursorPos().rows ?? 0;
    moveCursor(stream, 0, -(typedRows + this.#live.length));
    cursorTo(stream, 0);
    clearScreenDown(stream);
    const below = [...lines, ...live];
    if (below.length > 0) stream.write(`${below.join("\n")}\n`);
    this.#live = live;
    if (input === null) return;
    // The input line is drawn relative to its cursor, which was this many rows below its first row.
    if (typedRows > 0) stream.write("\n".repeat(typedRows));
    input.prompt(true);
  }
}
