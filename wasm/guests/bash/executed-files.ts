import { Bash, getCommandNames, InMemoryFs } from "just-bash/browser";
import { textOfBytes } from "../runtime/text-encoding.ts";
import { FileError, type Filesystem } from "../workspace-files.ts";
import { runsCommands } from "./awk/runs-commands.ts";
import { COMMANDS } from "./commands.ts";
import { commandsOf, type FixedCommand, type Redirection } from "./fixed-commands.ts";
import { inner } from "./workspace-fs.ts";

/** The files and scripts that a command executes besides its own text. */
export interface Executed {
  /** Contents by path relative to the root, one character for each byte; null if the file does not exist. */
  readonly files: ReadonlyMap<string, string | null>;
  /** True if the command may execute more than these files, because some of it is known only at run time. */
  readonly isOpen: boolean;
  /** Texts of all scripts, including the command itself. */
  readonly texts: readonly string[];
}

/** Path at which the shell sees the sandbox root. */
const ROOT = "/workspace";
/** Maximum number of passes over all scripts until a pass finds nothing new. */
const MAX_ROUNDS = 8;
const MAX_TEXTS = 50;
const MAX_CHARS = 200_000;

const words = (text: string) => new Set(text.split(" "));
const SHELLS = words("bash sh dash zsh ksh");
const SOURCES = words("source .");
/** Commands that read a program from the file that `-f` names. */
const INTERPRETERS = words("awk gawk mawk nawk sed jq");
/** Commands that run the command given by their arguments. */
const WRAPPERS = words("env command exec builtin nohup nice timeout time xargs watch setsid sudo stdbuf");
const FINDERS = words("-exec -execdir -ok -okdir");
/** Commands that only read the files they are given. */
const READERS = words(
  "chmod cat ls head tail wc grep egrep fgrep rg stat file test [ echo printf diff cmp md5sum sha1sum sha256sum du basename dirname realpath readlink cd sort uniq cut tr export",
);
const BUILTINS = words(
  ": [ break builtin caller cd command continue declare dirs echo eval exec exit export false getopts hash help kill let local mapfile popd printf pushd pwd read readarray readonly return set shift shopt test times trap true type typeset ulimit umask unalias unset wait time",
);
const KNOWN = new Set([...BUILTINS, ...getCommandNames(), ...COMMANDS.map(({ name }) => name)]);

/** Commands that do not write to their arguments, or whose writes are found when their arguments are examined. */
const ONLY_READ = [READERS, SHELLS, SOURCES, INTERPRETERS, WRAPPERS, words("find")];

const parser = new Bash({ fs: new InMemoryFs(), defenseInDepth: false });

/** Finds the scripts and programs that a command executes, and those that they execute, without running anything. */
export function executedFiles(command: string, cwd: string, files: Filesystem): Executed {
  return new Search(cwd, files).of(command);
}

class Search {
  readonly #workspace: Filesystem;
  readonly #files = new Map<string, string | null>();
  readonly #scripts = new Map<string, readonly FixedCommand[]>();
  readonly #functions = new Set<string>();
  /** Possible working directories, against which relative paths are resolved. */
  readonly #directories: Set<string>;
  /** Files that the command itself may write. */
  readonly #written = new Set<string>();
  #isOpen = false;
  #isAnywhere = false;
  #takesTexts = false;
  #evaluates = false;

  constructor(cwd: string, workspace: Filesystem) {
    this.#workspace = workspace;
    this.#directories = new Set([cwd]);
  }

  of(command: string): Executed {
    this.#read(command);
    let before = "";
    for (let round = 0; before !== this.#state(); round++) {
      if (round === MAX_ROUNDS) {
        this.#isOpen = true;
        break;
      }
      before = this.#state();
      for (const script of this.#scripts.values()) for (const one of script) this.#look(one);
    }
    for (const path of this.#files.keys()) {
      if (!this.#written.has(path)) continue;
      // The command may have changed this file by the time it executes it.
      this.#files.delete(path);
      this.#isOpen = true;
    }
    const isOpen = this.#isOpen || (this.#takesTexts && this.#evaluates);
    return { files: this.#files, isOpen, texts: [...this.#scripts.keys()] };
  }

  #state(): string {
    return [this.#files.size, this.#scripts.size, this.#directories.size, this.#written.size, this.#isAnywhere].join();
  }

  /** Parses a script and adds it to those that are examined. */
  #read(text: string): void {
    if (this.#scripts.has(text)) return;
    if (this.#scripts.size >= MAX_TEXTS || text.length > MAX_CHARS) {
      this.#isOpen = true;
      return;
    }
    if (/\b(?:PATH|BASH_ENV|CDPATH|PS4|alias|expand_aliases|BASH_ALIAS\w*|coproc|enable)\b/.test(text))
      this.#isOpen = true;
    try {
      const { commands, functions, takesTexts, evaluates } = commandsOf(parser.transform(text).ast);
      this.#takesTexts ||= takesTexts;
      this.#evaluates ||= evaluates;
      this.#scripts.set(text, commands);
      for (const name of functions) this.#functions.add(name);
    } catch {
      this.#scripts.set(text, []);
      this.#isOpen = true; // a script that does not parse may still run in part
    }
  }

  #look(command: FixedCommand): void {
    for (const { operator, target } of command.redirections) {
      if (target !== null && operator.includes(">")) this.#writes(target);
    }
    this.#invoke(command.words, command.redirections);
  }

  #invoke([name, ...args]: readonly (string | null)[], redirections: readonly Redirection[]): void {
    if (name === undefined) return;
    if (name === null) {
      this.#isOpen = true;
      return;
    }
    if (args.some((arg) => arg !== null && /^\/(?:usr|bin|sbin|lib)\b/.test(arg))) this.#isOpen = true;
    if (name === "eval") this.#readFixed(args.includes(null) ? null : args.join(" "));
    else if (name === "trap") this.#readFixed(args[0] ?? null);
    else if (SHELLS.has(name)) this.#shell(args, redirections);
    else if (SOURCES.has(name)) this.#execute(args.find((arg) => arg !== "--") ?? null, true);
    else if (INTERPRETERS.has(name)) this.#interpreter(name, args);
    else if (WRAPPERS.has(name)) this.#wrapper(name, args, redirections);
    else if (name === "find") this.#find(args);
    else if (name === "rg") this.#ripgrep(args);
    else if (name.includes("/")) this.#execute(name, true);
    else if (!KNOWN.has(name) && !this.#functions.has(name)) this.#isOpen = true;
    if (name === "cd") this.#enter(args.filter((arg) => arg === null || !/^-[PLe@-]*$/.test(arg) || arg === "-"));
    if (name === "pushd" || name === "popd") this.#isAnywhere = true;
    if (!ONLY_READ.some((names) => names.has(name)))
      for (const arg of args) if (arg !== null) this.#writes(name === "dd" ? arg.replace(/^of=/, "") : arg);
  }

  #readFixed(text: string | null): void {
    if (text === null) this.#isOpen = true;
    else this.#read(text);
  }

  #shell(args: readonly (string | null)[], redirections: readonly Redirection[]): void {
    for (let at = 0; at < args.length; at++) {
      const arg = args[at] ?? null;
      if (arg === null) return this.#readFixed(null);
      if (/^-\w*$/.test(arg) && /c/i.test(arg)) return this.#readFixed(args[at + 1] ?? null);
      if (arg === "--rcfile" || arg === "--init-file" || /^-[a-z]*[si]/.test(arg)) return this.#readFixed(null);
      if (/^[-+]o$|^[-+]O$/.test(arg)) at += 1;
      else if (!/^[-+]/.test(arg)) return this.#execute(arg, true);
    }
    const input = redirections.findLast(({ operator }) => operator.startsWith("<"));
    if (input === undefined) this.#isOpen = true;
    else if (input.operator === "<") this.#execute(input.target, true);
    else this.#readFixed(input.target);
  }

  #interpreter(name: string, args: readonly (string | null)[]): void {
    for (const [at, arg] of args.entries()) {
      if (arg === null) {
        this.#isOpen = true; // the argument, known only at run time, may be a program
        continue;
      }
      if (name.endsWith("awk") && runsCommands(arg)) this.#isOpen = true;
      const joined = fileBehind(arg);
      if (joined !== undefined) this.#execute(joined === "" ? (args[at + 1] ?? null) : joined, false);
      else if (name === "sed" && args[at - 1] !== "-f" && args.some((one) => one?.startsWith("-i"))) this.#writes(arg);
      if (name === "jq" && (arg.startsWith("-L") || /\b(?:import|include)\b/.test(arg))) this.#isOpen = true;
    }
  }

  #wrapper(name: string, args: readonly (string | null)[], redirections: readonly Redirection[]): void {
    const at = args.findIndex((arg) => arg === null || this.#isCommand(arg));
    if (at === -1) return;
    const [first] = args.slice(at);
    // xargs appends the words it reads, so an executor would run what is not known yet.
    if (first == null || (name === "xargs" && this.#isExecutor(first))) this.#isOpen = true;
    else this.#invoke(args.slice(at), redirections);
  }

  #find(args: readonly (string | null)[]): void {
    for (const [at, arg] of args.entries()) {
      // A word that is known only at run time may be `-exec` or the like.
      if (arg === null) this.#evaluates = true;
      if (arg === null || !FINDERS.has(arg)) continue;
      const first = args[at + 1] ?? null;
      if (first === null || first.includes("{}") || this.#isExecutor(first)) this.#isOpen = true;
      else this.#invoke(args.slice(at + 1), []);
    }
  }

  #ripgrep(args: readonly (string | null)[]): void {
    if (args.includes(null)) this.#evaluates = true;
    if (args.some((arg) => arg?.startsWith("--pre") === true)) this.#isOpen = true; // --pre runs a program on each file
  }

  #isExecutor(name: string): boolean {
    return SHELLS.has(name) || SOURCES.has(name) || WRAPPERS.has(name) || name === "eval" || name.includes("/");
  }

  #isCommand(arg: string): boolean {
    if (arg.startsWith("-") || /^\w+=/.test(arg)) return false;
    return this.#isExecutor(arg) || INTERPRETERS.has(arg) || KNOWN.has(arg) || this.#functions.has(arg);
  }

  #enter([target = "~"]: readonly (string | null)[]): void {
    if (target === null || target === "-") {
      this.#isAnywhere = true;
      return;
    }
    const found = target === "~" ? [""] : this.#pathsOf(target);
    const directories = found.filter((path) => this.#kindOf(path) === "directory");
    if (directories.length === 0) this.#isAnywhere = true;
    for (const path of directories) this.#directories.add(path);
  }

  #writes(path: string): void {
    for (const one of this.#pathsOf(path)) this.#written.add(one);
  }

  /** Adds a file that is executed, as a shell script or as a program of an interpreter (`isScript` false). */
  #execute(path: string | null, isScript: boolean): void {
    const paths = path === null ? [] : this.#pathsOf(path);
    if (paths.length === 0 || (this.#isAnywhere && path?.startsWith("/") !== true)) this.#isOpen = true;
    for (const one of paths) {
      if (this.#files.has(one)) continue;
      const content = this.#contentOf(one);
      this.#files.set(one, content);
      if (content === null) continue;
      if (isScript) this.#read(textOfBytes(content));
      else if (/\b(?:import|include)\b/.test(content) || runsCommands(content)) this.#isOpen = true;
    }
  }

  /** Resolves a path against every possible working directory; empty for paths outside the sandbox root. */
  #pathsOf(path: string): string[] {
    if (path === "") return [];
    if (!path.startsWith("/")) return [...this.#directories].map((directory) => inner(`${directory}/${path}`));
    return path === ROOT || path.startsWith(`${ROOT}/`) ? [inner(path.slice(ROOT.length))] : [];
  }

  #contentOf(path: string): string | null {
    try {
      return this.#workspace.readFile(path);
    } catch (error) {
      if (error instanceof FileError) return null;
      throw error;
    }
  }

  #kindOf(path: string): string {
    if (path === "") return "directory";
    try {
      return this.#workspace.status(path, true).kind;
    } catch (error) {
      if (error instanceof FileError) return "missing";
      throw error;
    }
  }
}

/** Path joined to an option such as `-f`; empty if the path is the next word, undefined for other words. */
function fileBehind(arg: string): string | undefined {
  const option = /^--(?:from-)?file=?/.exec(arg) ?? /^-[A-Za-eg-z]*f/.exec(arg);
  return option === null ? undefined : arg.slice(option[0].length);
}
