import { AppError } from "../../../core/protocol/errors.ts";

/** Maximum size of one message from a server, in bytes; a list of messages counts as one. */
export const MAX_MESSAGE_BYTES = 10_000_000;

const LINE_FEED = 0x0a;

/** Splits chunks into lines, none longer than a message may be. */
export class Lines {
  #begun: Uint8Array[] = [];
  #bytes = 0;

  /** The lines completed by this chunk, without their line feeds. */
  take(part: Uint8Array): string[] {
    const lines: string[] = [];
    let from = 0;
    for (let at = part.indexOf(LINE_FEED); at >= 0; at = part.indexOf(LINE_FEED, from)) {
      this.#begin(part.subarray(from, at));
      lines.push(this.rest());
      from = at + 1;
    }
    this.#begin(part.subarray(from));
    return lines;
  }

  /** Takes what has arrived of a line that has not ended. */
  rest(): string {
    const line = Buffer.concat(this.#begun).toString();
    this.#begun = [];
    this.#bytes = 0;
    return line;
  }

  #begin(bytes: Uint8Array): void {
    this.#bytes += bytes.length;
    if (this.#bytes > MAX_MESSAGE_BYTES) {
      this.#begun = [];
      throw tooLarge();
    }
    this.#begun.push(bytes);
  }
}

export function tooLarge(): AppError {
  return new AppError("network", "the server's message is too large");
}
