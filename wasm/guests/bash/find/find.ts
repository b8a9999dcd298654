import { type CustomCommand, defineCommand } from "just-bash/browser";
import type { Context, Result } from "../adapted.ts";
import { argumentsInLocale } from "../locale.ts";
import { endsScript, Output } from "../shell/output.ts";
import { actionOf, type Steering } from "./actions.ts";
import { type Entry, type Kind, kindOf, nameOf, type Status } from "./entry.ts";
import { expressionOf, type Test, type Words, wordsOf } from "./expression.ts";
import { type Settings, testOf } from "./tests.ts";

/** Maximum depth of nested directories, because symlinks that are followed may form a cycle. */
const MAX_DEPTH = 500;

export const FIND: CustomCommand = defineCommand("find", async (args, context) => {
  const output = new Output("find", context);
  try {
    return await new Search(args, output, context).run();
  } catch (error) {
    if (endsScript(error)) throw error;
    output.complain(error instanceof Error ? error.message : String(error));
    return output.result(1);
  }
});

const IGNORED = new Set([
  "-noleaf",
  "-warn",
  "-nowarn",
  "-xdev",
  "-mount",
  "-ignore_readdir_race",
  "-noignore_readdir_race",
]);
const SILENT = new Set(["-prune", "-quit"]);

class Search {
  readonly #output: Output;
  readonly #context: Context;
  readonly #steering: Steering = { isPruned: false, isEnded: false, exitCode: 0, atEnd: [] };
  readonly #settings: Settings = { regexType: "emacs", fromMidnight: false };
  readonly #starts: readonly string[];
  readonly #test: Test;
  #follows = false;
  #isDeepFirst = false;
  #hasAction = false;
  #depths = { least: 0, most: MAX_DEPTH };

  constructor(args: readonly string[], output: Output, context: Context) {
    this.#output = output;
    this.#context = context;
    let at = 0;
    for (; /^-(?:[LHP]|O\d?)$/.test(args[at] ?? ""); at++) this.#follows = args[at] === "-L";
    if (args[at] === "--") at++;
    const begins = args.findIndex((arg, index) => index >= at && /^-.|^[(),!]$/.test(arg));
    const end = begins === -1 ? args.length : begins;
    this.#starts = end === at ? ["."] : args.slice(at, end);
    this.#test = this.#parsed(wordsOf(argumentsInLocale(args.slice(end), context)));
  }

  #parsed(words: Words): Test {
    const test = words.peek() === undefined ? () => true : expressionOf(words, (name) => this.#predicate(name, words));
    const left = words.peek();
    if (left !== undefined) throw new Error(left === ")" ? "you have too many ')'" : `unexpected '${left}'`);
    if (this.#hasAction) return test;
    return async (entry) => {
      if ((await test(entry)) && !this.#steering.isEnded) this.#output.print(`${entry.path}\n`);
      return true;
    };
  }

  #predicate(name: string, words: Words): Test {
    const { context, steering, output } = { context: this.#context, steering: this.#steering, output: this.#output };
    if (this.#option(name, words)) return () => true;
    const test = testOf(name, { words, settings: this.#settings, context });
    if (test !== null) return test;
    const action = actionOf(name, words, { output, steering, context });
    if (action === null && !name.startsWith("-")) throw new Error(`paths must precede expression: '${name}'`);
    if (action === null) throw new Error(`${name} is not known here`);
    this.#hasAction ||= !SILENT.has(name);
    this.#isDeepFirst ||= name === "-delete";
    return action;
  }

  /** Applies an option, which holds for the whole search wherever it is written; false if `name` is not an option. */
  #option(name: string, words: Words): boolean {
    if (name === "-maxdepth" || name === "-mindepth") {
      const depth = words.value(name);
      if (!/^\d+$/.test(depth))
        throw new Error(`Expected a positive decimal integer argument to ${name}, but got '${depth}'`);
      this.#depths = { ...this.#depths, [name === "-maxdepth" ? "most" : "least"]: Number(depth) };
    } else if (name === "-depth" || name === "-d") this.#isDeepFirst = true;
    else if (name === "-follow") this.#follows = true;
    else if (name === "-daystart") this.#settings.fromMidnight = true;
    else if (name === "-regextype") this.#settings.regexType = words.value(name);
    else return IGNORED.has(name);
    return true;
  }

  async run(): Promise<Result> {
    for (const start of this.#starts) {
      const full = this.#context.fs.resolvePath(this.#context.cwd, start);
      const status = start === "" ? null : await this.#statusOf(full).catch(() => null);
      if (status === null) this.#failed(`'${start}': No such file or directory`);
      else await this.#walk(this.#entry(start, { start, full, depth: 0, kind: kindOf(status) }));
      if (this.#steering.isEnded) break;
    }
    for (const run of this.#steering.atEnd) await run();
    return this.#output.result(this.#steering.exitCode);
  }

  #failed(sentence: string): void {
    this.#output.complain(sentence);
    this.#steering.exitCode = 1;
  }

  async #statusOf(full: string): Promise<Status> {
    const { fs } = this.#context;
    return this.#follows ? fs.stat(full).catch(() => fs.lstat(full)) : fs.lstat(full);
  }

  #entry(path: string, at: Pick<Entry, "start" | "full" | "depth" | "kind">): Entry {
    let status: Promise<Status> | undefined;
    return { ...at, path, name: nameOf(path), status: () => (status ??= this.#statusOf(at.full)) };
  }

  async #walk(entry: Entry): Promise<void> {
    const { most, least } = this.#depths;
    this.#steering.isPruned = false;
    if (!this.#isDeepFirst && entry.depth >= least) await this.#test(entry);
    const isOpen = entry.kind === "d" && entry.depth < most && !this.#steering.isPruned;
    if (isOpen && !this.#steering.isEnded) await this.#within(entry);
    if (this.#isDeepFirst && entry.depth >= least && !this.#steering.isEnded) await this.#test(entry);
  }

  async #within(entry: Entry): Promise<void> {
    if (entry.depth === MAX_DEPTH - 1) throw new Error(`'${entry.path}' is too deep`);
    const base = entry.path.endsWith("/") ? entry.path : `${entry.path}/`;
    for (const [name, kind] of await this.#children(entry)) {
      const full = this.#context.fs.resolvePath(entry.full, name);
      const [shown = ""] = argumentsInLocale([name], this.#context);
      await this.#walk(this.#entry(base + shown, { start: entry.start, full, depth: entry.depth + 1, kind }));
      if (this.#steering.isEnded) return;
    }
  }

  async #children(entry: Entry): Promise<(readonly [name: string, kind: Kind])[]> {
    const { fs } = this.#context;
    if (!this.#follows && fs.readdirWithFileTypes !== undefined)
      return (await fs.readdirWithFileTypes(entry.full)).map((one) => [one.name, kindOf(one)] as const);
    const found: (readonly [string, Kind])[] = [];
    for (const name of await fs.readdir(entry.full))
      found.push([name, kindOf(await this.#statusOf(fs.resolvePath(entry.full, name)))]);
    return found;
  }
}
