import { utf8Bytes } from "../../runtime/text-encoding.ts";
import type { Context, Result } from "../adapted.ts";
import { singleQuoted } from "../expansion/quoting.ts";
import { addParts, type Printed } from "./output-order.ts";

/** Output of a command that runs other commands: its own text and theirs, in order. */
export class Output {
  #stderr = "";
  /** The order of both streams. */
  readonly #order: { parts?: number[] } = {};
  readonly #context: Context;
  readonly #name: string;
  /** One character for each byte. */
  #stdout: string[] = [];
  /** Output of the commands that the script's output limit has already counted. */
  readonly #counted = { stdout: 0, stderr: 0 };

  constructor(name: string, context: Context) {
    this.#name = name;
    this.#context = context;
  }

  print(text: string): void {
    this.#add({ stdout: utf8Bytes(text), stderr: "" });
  }

  /** Prints a text on stderr. */
  warn(text: string): void {
    this.#add({ stdout: "", stderr: text });
  }

  complain(sentence: string): void {
    this.warn(`${this.#name}: ${sentence}\n`);
  }

  #add(printed: Printed): void {
    this.#stdout.push(printed.stdout);
    this.#stderr += printed.stderr;
    addParts(this.#order, printed);
  }

  /** Runs a command and returns its exit code. */
  async run([name = "", ...args]: readonly string[], cwd = this.#context.cwd): Promise<number> {
    const { exec, signal } = this.#context;
    if (exec === undefined) throw new Error("nothing can be run here");
    const options = { cwd, args, ...(signal === undefined ? {} : { signal }) };
    const result = await exec(singleQuoted(name), options).catch((error: unknown) => {
      if (endsScript(error)) error.prependOutput(this.#stdout.join(""), this.#stderr);
      throw error;
    });
    const isBytes = result.stdoutKind === "bytes" || result.stdoutEncoding === "binary";
    const bytes = isBytes ? result.stdout : utf8Bytes(result.stdout);
    this.#add({ ...result, stdout: bytes });
    this.#counted.stdout += Math.min(result.internalOutputAccounting?.stdout ?? 0, bytes.length);
    this.#counted.stderr += Math.min(result.internalOutputAccounting?.stderr ?? 0, result.stderr.length);
    return result.exitCode;
  }

  result(exitCode: number): Result {
    const stdout = this.#stdout.join("");
    const printed = { stdout, stderr: this.#stderr, ...this.#order };
    return { ...printed, exitCode, stdoutKind: "bytes", internalOutputAccounting: this.#counted };
  }
}

/** An error that ends the script. */
interface ScriptEnd {
  readonly stdout?: string;
  readonly stderr?: string;
  prependOutput(stdout: string, stderr: string): void;
}

/** Whether an error ends the script and carries the output printed before it. */
export function endsScript(error: unknown): error is ScriptEnd {
  return typeof error === "object" && error !== null && "prependOutput" in error;
}
