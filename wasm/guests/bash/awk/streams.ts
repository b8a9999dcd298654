import type { defineCommand } from "just-bash/browser";
import { eachByte, hasByteCharacters, whole } from "../locale.ts";
import { decodeInput } from "../shell/decode-input.ts";
import { addParts } from "../shell/output-order.ts";
import { pipedBytes } from "../text/command.ts";
import { Records } from "./input.ts";

type Context = Parameters<Parameters<typeof defineCommand>[1]>[1];

/** Pieces of output that are joined at once. */
const PIECES = 4096;

interface Target {
  readonly operator: string;
  readonly pieces: string[];
  isBegun: boolean;
}

const STDOUT = new Set(["/dev/stdout", "-", "/dev/fd/1"]);
const STDERR = new Set(["/dev/stderr", "/dev/fd/2"]);

/** What a program prints, and the files and commands that it prints to and reads from. */
export class Streams {
  readonly #context: Context;
  #printed = "";
  #pieces: string[] = [];
  #size = 0;
  readonly #parts: { parts?: number[] } = {};
  #stdout = "";
  #stderr = "";
  readonly #targets = new Map<string, Target>();
  readonly #sources = new Map<string, Records>();
  #hasFailed = false;

  constructor(context: Context) {
    this.#context = context;
  }

  print(text: string): void {
    this.#size += text.length;
    if (this.#pieces.push(text) < PIECES) return;
    this.#join();
    const { maxOutputSize } = this.#context.limits;
    if (this.#size > maxOutputSize) throw new Error(`output size limit exceeded (${maxOutputSize} bytes)`);
  }

  #join(): void {
    this.#printed += this.#pieces.join("");
    this.#pieces = [];
  }

  /** Ends the present part of stdout, because something else follows. */
  #record(stderr: string): void {
    this.#join();
    addParts(this.#parts, { stdout: this.#printed, stderr });
    this.#stdout += this.#printed;
    this.#stderr += stderr;
    this.#printed = "";
  }

  /** What was printed before this comes before what commands print. */
  sync(): number {
    this.#record("");
    return 0;
  }

  complain(sentence: string): void {
    this.#record(`awk: ${sentence}\n`);
  }

  printTo(text: string, operator: string, name: string): void {
    if (!operator.startsWith("|")) {
      if (STDOUT.has(name)) return this.print(text);
      if (STDERR.has(name)) return this.#record(text);
      if (name === "") throw new Error("expression for redirection has null string value");
    }
    let target = this.#targets.get(name);
    if (target === undefined) {
      if (operator.startsWith("|")) this.sync();
      target = { operator, pieces: [], isBegun: false };
      this.#targets.set(name, target);
    }
    target.pieces.push(text);
    if (target.pieces.length > PIECES) target.pieces.splice(0, Number.POSITIVE_INFINITY, target.pieces.join(""));
    this.#size += text.length;
    const { maxStringLength } = this.#context.limits;
    if (this.#size > maxStringLength) throw new Error(`at most ${maxStringLength} characters are printed here`);
  }

  /** Writes what was printed to a file so far. */
  async #write(name: string, target: Target): Promise<void> {
    const { fs, cwd } = this.#context;
    const path = fs.resolvePath(cwd, name);
    const text = target.pieces.splice(0).join("");
    const isNew = !target.isBegun && target.operator === ">";
    target.isBegun = true;
    try {
      if (isNew) await fs.writeFile(path, text);
      else if (text !== "") await fs.appendFile(path, text);
    } catch (error) {
      throw new Error(`cannot redirect to \`${name}': ${reasonOf(error)}`, { cause: error });
    }
  }

  /** Writes all files, so that commands and `getline` find what was printed. */
  async flush(): Promise<void> {
    for (const [name, target] of this.#targets) if (!target.operator.startsWith("|")) await this.#write(name, target);
  }

  /** Closes everything: files first, because commands may read them. What was printed last comes behind all commands. */
  async finish(): Promise<void> {
    await this.flush();
    this.#join();
    const last = this.#printed;
    this.#printed = "";
    for (const name of this.#targets.keys()) await this.close(name);
    this.print(last);
  }

  /** The exit code of a command, 0 for a file, and -1 if nothing of this name is open. */
  async close(name: string): Promise<number> {
    const isSource = this.#sources.delete(name);
    const target = this.#targets.get(name);
    if (target === undefined) return isSource ? 0 : -1;
    this.#targets.delete(name);
    if (target.operator.startsWith("|")) return target.operator === "|&" ? 0 : this.run(name, target.pieces.join(""));
    await this.#write(name, target);
    return 0;
  }

  async #exec(command: string, stdin?: string): ReturnType<NonNullable<Context["exec"]>> {
    const { exec, cwd, signal } = this.#context;
    if (exec === undefined) throw new Error("no commands can be run here");
    await this.flush();
    this.sync();
    const options = { cwd, ...(signal === undefined ? {} : { signal }) };
    const ended = await exec(whole(command), stdin === undefined ? options : { ...options, stdin });
    const isBytes = ended.stdoutKind === "bytes" || ended.stdoutEncoding === "binary";
    return { ...ended, stdout: this.#inLocale(isBytes ? decodeInput(ended.stdout) : ended.stdout) };
  }

  #inLocale(text: string): string {
    return hasByteCharacters(this.#context) ? eachByte(text) : text;
  }

  /** Runs a command; what it prints follows what was printed before. */
  async run(command: string, stdin?: string): Promise<number> {
    const { stdout, stderr, exitCode } = await this.#exec(command, stdin);
    this.print(stdout);
    if (stderr !== "") this.#record(stderr);
    return exitCode;
  }

  /** The output of a command, of which it is told what was printed to it as a coprocess. */
  async #outputOf(command: string): Promise<string> {
    const { stdout, stderr } = await this.#exec(command, this.#targets.get(command)?.pieces.join(""));
    if (stderr !== "") this.#record(stderr);
    return stdout;
  }

  /** The records of a command's output or of a file; null if it cannot be read. */
  async source(kind: "command" | "file", name: string): Promise<Records | null> {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    if (kind === "file") await this.flush();
    const text = kind === "command" ? await this.#outputOf(name) : await this.read(name).catch(() => null);
    if (text === null) return null;
    const records = new Records(text);
    this.#sources.set(name, records);
    return records;
  }

  /** The text of a file, or of standard input. */
  async read(name: string): Promise<string> {
    const { fs, cwd } = this.#context;
    if (name === "-" || name === "/dev/stdin") return this.#inLocale(decodeInput(pipedBytes(this.#context)));
    return this.#inLocale(decodeInput(await fs.readFile(fs.resolvePath(cwd, name), "binary")));
  }

  /** Reports that the program goes on, but has not done all that it should. */
  fail(sentence: string): void {
    this.complain(sentence);
    this.#hasFailed = true;
  }

  result(exitCode: number): { stdout: string; stderr: string; exitCode: number } {
    this.#record("");
    const code = exitCode === 0 && this.#hasFailed ? 2 : exitCode;
    return { stdout: this.#stdout, stderr: this.#stderr, exitCode: code, ...this.#parts };
  }
}

export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("ENOENT")) return "No such file or directory";
  return message.includes("EISDIR") ? "Is a directory" : message;
}
