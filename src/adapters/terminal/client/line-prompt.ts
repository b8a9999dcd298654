import { createInterface, type Interface } from "node:readline";
import type { ChatOptions } from "./chat.ts";

/** `interrupted`: called on Ctrl-C. `left`: called if the person closes the input without an answer. */
type Asked = Pick<ChatOptions, "io"> & { readonly interrupted: () => void; readonly left: () => void };

/**
 * Asks the person at the terminal for single lines. The input stays open in between; a line typed while nothing is
 * asked is discarded, so that it does not answer the next question.
 */
export class LinePrompt {
  readonly #options: Asked;
  #input: Interface | null = null;
  #taken: ((line: string) => void) | null = null;

  constructor(options: Asked) {
    this.#options = options;
  }

  /** The input while a question is open; null otherwise. */
  get input(): Interface | null {
    return this.#taken === null ? null : this.#input;
  }

  ask(prompt: string, taken: (line: string) => void): void {
    this.#input ??= this.#opened();
    const input = this.#input;
    this.#taken = taken;
    input.setPrompt(prompt);
    clearTyped(input);
    input.prompt();
  }

  /** Withdraws the open question. */
  drop(): void {
    this.#taken = null;
  }

  close(): void {
    this.drop();
    this.#input?.close();
  }

  #opened(): Interface {
    const { io, interrupted, left } = this.#options;
    const input = createInterface({ input: io.stdin, output: io.stderr });
    input.on("SIGINT", interrupted);
    input.on("line", (line) => {
      const taken = this.#taken;
      this.#taken = null;
      taken?.(line);
    });
    input.on("close", () => {
      this.#input = null;
      if (this.#taken === null) return;
      this.#taken = null;
      left();
    });
    return input;
  }
}

/** Clears what has been typed but not entered. */
export function clearTyped(input: Interface): void {
  if (input.line === "") return;
  input.write(null, { ctrl: true, name: "e" });
  input.write(null, { ctrl: true, name: "u" });
}
