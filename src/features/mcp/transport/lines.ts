import { AppError } from "../../../core/protocol/errors.ts";

/** Bytes of one message of a server; a list of them counts as one. */
export const MAX_MESSAGE_BYTES = 10_000_000;

const LINE_FEED = 0x0a;

/** The lines of what arrives in parts, none longer than a message may be. */
export class Lines {
  #begun: Uint8Array[] = [];
  #bytes = 0;

  /** Those that end in this part, without their ends. */
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

  /** What has come of a line that has not ended. */
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
