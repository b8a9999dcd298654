import { createInterface, type Interface } from "node:readline";
import type { ChatOptions } from "./chat.ts";

/** `interrupted`: by Ctrl-C. `left`: whoever was asked has closed the input without an answer. */
type Asked = Pick<ChatOptions, "io"> & { readonly interrupted: () => void; readonly left: () => void };

/**
 * Asks whoever is at the terminal for one line at a time. The input stays open in between: a line that is typed while
 * nothing is asked belongs to no question, so it is let go and does not answer the next one.
 */
export class LinePrompt {
  readonly #options: Asked;
  #input: Interface | null = null;
  #taken: ((line: string) => void) | null = null;

  constructor(options: Asked) {
    this.#options = options;
  }

  /** The line that is typed; null where nothing is asked. */
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

  /** What was asked needs no line any more. */
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

/** Takes away what has been typed and not entered. */
export function clearTyped(input: Interface): void {
  if (input.line === "") return;
  input.write(null, { ctrl: true, name: "e" });
  input.write(null, { ctrl: true, name: "u" });
}
