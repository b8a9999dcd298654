import type { ExecResult } from "just-bash/browser";
import { evaluating } from "./traps.ts";

interface Context {
  readonly state: { readonly env: ReadonlyMap<string, string> };
  executeScript(script: object): Promise<ExecResult>;
}

/** Collects what the loop prints. */
interface Printed {
  append(stdout: string, stderr: string): void;
}

/** The words that are chosen in turn from the menu of `select`, until there is no more input. */
export class Choices {
  /** Whether the input has ended, so that the loop fails. */
  isAtEnd = false;
  readonly #context: Context;
  readonly #words: readonly string[];
  readonly #printed: Printed;

  constructor(context: Context, words: readonly string[], printed: Printed) {
    this.#context = context;
    this.#words = words;
    this.#printed = printed;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    const { env } = this.#context.state;
    const width = String(this.#words.length).length;
    const menu = this.#words.map((word, at) => `${String(at + 1).padStart(width)}) ${word}\n`).join("");
    for (let isShown = false; this.#words.length > 0; ) {
      this.#printed.append("", (isShown ? "" : menu) + (env.get("PS3") ?? "#? "));
      const { exitCode, stderr } = await this.#context.executeScript(evaluating("IFS= read -r REPLY"));
      if (stderr !== "") this.#printed.append("", stderr);
      if (exitCode !== 0) {
        this.isAtEnd = true;
        this.#printed.append("\n", "");
        return;
      }
      const reply = (env.get("REPLY") ?? "").trim();
      isShown = reply !== "";
      if (isShown) yield /^\d+$/.test(reply) ? (this.#words[Number(reply) - 1] ?? "") : "";
    }
  }
}
