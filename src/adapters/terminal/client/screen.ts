import { clearScreenDown, cursorTo, type Interface, moveCursor } from "node:readline";
import type { Writable } from "node:stream";
import { stripVTControlCharacters } from "node:util";
import { fitted, type TerminalStyle } from "../format.ts";

/** Where a conversation is drawn. */
export interface Screen {
  readonly style: () => TerminalStyle;
  /** Lines that stay. */
  print(lines: readonly string[]): void;
  /** Lines below them that are replaced by the next ones; on what is no terminal they are not shown. */
  live(lines: readonly string[]): void;
}

export interface ScreenStream extends Writable {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

/** Columns where nothing says how many there are. */
const USUAL_WIDTH = 80;
const USUAL_HEIGHT = 24;
/** Rows of a live message, where the screen has more: what is above the screen cannot be replaced. */
const LIVE_ROWS = 12;

export interface ScreenOptions {
  readonly stream: ScreenStream;
  /** Source: no-color.org; a TERM that can do nothing counts, too. */
  readonly hasColour: boolean;
  /** Whose line stands below everything; null where nobody types. */
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

/** Live lines and the line that is typed stand below what stays, and are drawn anew with each change. */
class TerminalScreen implements Screen {
  readonly #options: ScreenOptions;
  #live: readonly string[] = [];

  constructor(options: ScreenOptions) {
    this.#options = options;
  }

  style(): TerminalStyle {
    const { stream, hasColour } = this.#options;
    // The last column stays free: some terminals begin a new line when it is written.
    // One that does not know its size says 0.
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
    // The line is drawn from where its cursor was: as many rows below its beginning.
    if (typedRows > 0) stream.write("\n".repeat(typedRows));
    input.prompt(true);
  }
}
