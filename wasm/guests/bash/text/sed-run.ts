import { bytesOfLatin1, utf8Bytes } from "../../runtime/text-encoding.ts";
import { type Input, linesOf, Refusal, textOf } from "./command.ts";
import { cased } from "./letter-case.ts";
import { type Address, escapedText, type Pattern, type SedCommand, type Substitution } from "./sed-script.ts";

/** Maximum number of commands that one run may execute. */
const MAX_STEPS = 10_000_000;
const LISTED_CHARS = 69;

interface Line {
  readonly text: string;
  /** False for a last line without an end. */
  readonly ended: boolean;
  readonly file: string;
}

interface RunScope {
  readonly inputs: readonly Input[];
  readonly quiet: boolean;
  readonly end: string;
  /** Contents of the other files that the script reads or writes. */
  readonly files: Map<string, string>;
}

/** What happens after a command. */
type Next = "go on" | "end cycle" | "delete" | "restart" | "quit" | "quit silently" | number;

/** One pass over the lines of files. */
export class SedRun {
  output = "";
  /** Exit code of a script that quits itself; null otherwise. */
  exitCode: number | null = null;
  readonly #commands: readonly SedCommand[];
  readonly #scope: RunScope;
  readonly #lines: readonly Line[];
  readonly #labels: ReadonlyMap<string, number>;
  /** Last line of each open range; null while it is not known. */
  readonly #open = new Map<SedCommand, number | null>();
  readonly #begun = new Set<SedCommand>();
  readonly #read = new Map<string, number>();
  #next = 0;
  #space = "";
  #hold = "";
  /** Whether the pattern space and the hold space end with a line end when they are printed. */
  #ended = true;
  #holdEnded = true;
  #substituted = false;
  #last: RegExp | null = null;
  #appended: string[] = [];
  #lacksEnd = false;
  #steps = 0;

  constructor(commands: readonly SedCommand[], scope: RunScope) {
    this.#commands = commands;
    this.#scope = scope;
    this.#lines = scope.inputs.flatMap((input) => linesOfInput(input, scope.end));
    this.#labels = new Map(commands.flatMap(({ name, text }, at) => (name === ":" ? [[text, at]] : [])));
  }

  /** Number of lines read so far. */
  get line(): number {
    return this.#next;
  }

  all(): void {
    let keeps = false;
    while (keeps || this.#take()) {
      const end = this.#cycle();
      if (!this.#scope.quiet && (end === "end cycle" || end === "quit")) this.#print();
      this.#flush();
      if (end === "quit" || end === "quit silently") return;
      keeps = end === "restart";
    }
  }

  #take(): boolean {
    const line = this.#lines[this.#next];
    if (line === undefined) return false;
    this.#next += 1;
    this.#space = line.text;
    this.#ended = line.ended;
    this.#substituted = false;
    return true;
  }

  #cycle(): Next {
    for (let at = 0; at < this.#commands.length; at++) {
      const command = this.#commands[at];
      if (command === undefined) break;
      if (++this.#steps > MAX_STEPS) throw new Refusal("the script takes too many steps");
      if (!this.#selects(command)) {
        if (command.name === "{") at = command.end ?? at;
        continue;
      }
      const next = command.substitution === undefined ? this.#perform(command) : this.#substitute(command.substitution);
      if (typeof next === "number") at = next;
      else if (next !== "go on") return next;
    }
    return "end cycle";
  }

  #emit(text: string, ended = true): void {
    this.output += (this.#lacksEnd ? this.#scope.end : "") + text + (ended ? this.#scope.end : "");
    this.#lacksEnd = !ended;
  }

  /** Prints text that has its line end, or no text at all. */
  #insert(text: string): void {
    if (text !== "") this.#emit(text.slice(0, -1));
  }

  #print(text = this.#space): void {
    this.#emit(text, this.#ended);
  }

  /** Appends queued texts unchanged; the last line of a file may lack its end. */
  #flush(): void {
    for (const text of this.#appended) {
      this.output += (this.#lacksEnd ? this.#scope.end : "") + text;
      this.#lacksEnd = false;
    }
    this.#appended = [];
  }

  #write(file: string, text: string): void {
    if (file === "/dev/stdout") this.#emit(text);
    else this.#scope.files.set(file, `${this.#scope.files.get(file) ?? ""}${text}${this.#scope.end}`);
  }

  #selects(command: SedCommand): boolean {
    const { from, to, negated } = command;
    return (from === null || (to === null ? this.#matches(from) : this.#isWithin(command, from, to))) !== negated;
  }

  #matches(address: Address): boolean {
    switch (address.type) {
      case "line":
        return this.#next === address.line;
      case "step":
        return address.step === 0
          ? this.#next === address.first
          : this.#next >= address.first && (this.#next - address.first) % address.step === 0;
      case "last":
        return this.#next === this.#lines.length;
      case "match":
        return this.#pattern(address.pattern).test(this.#space);
      default:
        return false;
    }
  }

  #isWithin(command: SedCommand, from: Address, to: Address): boolean {
    const end = this.#open.get(command);
    if (end === undefined) {
      const isZero = from.type === "line" && from.line === 0;
      if (!(isZero && this.#next === 1) && !this.#begins(command, from, to)) return false;
      this.#begun.add(command);
      if (to.type === "match") this.#open.set(command, null);
      else if (this.#endOf(to) > this.#next) this.#open.set(command, this.#endOf(to));
      if (isZero && to.type === "match" && this.#matches(to)) this.#open.delete(command);
      return true;
    }
    if (end === null ? this.#matches(to) : this.#next >= end) this.#open.delete(command);
    return end === null || this.#next <= end || this.#matches(from);
  }

  /** Whether a range begins at this line. A range skipped at its first line begins at a later one, but only once. */
  #begins(command: SedCommand, from: Address, to: Address): boolean {
    if (from.type !== "line" || from.line === 0 || this.#begun.has(command)) return this.#matches(from);
    return this.#next === from.line || (this.#next > from.line && (to.type !== "line" || this.#next <= to.line));
  }

  #endOf(to: Address): number {
    if (to.type === "line") return to.line;
    if (to.type === "more") return this.#next + to.count;
    if (to.type === "multiple") return to.of === 0 ? this.#next : (Math.floor(this.#next / to.of) + 1) * to.of;
    return this.#lines.length;
  }

  #pattern(pattern: Pattern): RegExp {
    const found = pattern ?? this.#last;
    if (found === null) throw new Refusal("no previous regular expression");
    this.#last = found;
    found.lastIndex = 0;
    return found;
  }

  #substitute({ pattern, replacement, all, from, prints, file }: Substitution): Next {
    let [result, at, count] = ["", 0, 0];
    let last = -1;
    const space = this.#space;
    const regex = this.#pattern(pattern);
    // `matchAll` would compile a copy of the pattern for each line.
    for (let match = regex.exec(space); match !== null; match = regex.exec(space)) {
      const end = match.index + match[0].length;
      if (match[0] === "") regex.lastIndex = behindCharacter(space, end);
      if (match[0] === "" && end === last) continue;
      last = end;
      if (++count < from) continue;
      result += space.slice(at, match.index) + expanded(replacement, match);
      at = last;
      if (!all) break;
    }
    if (count < from) return "go on";
    this.#space = result + space.slice(at);
    this.#substituted = true;
    if (prints) this.#print();
    if (file !== null) this.#write(file, this.#space);
    return "go on";
  }

  #perform(command: SedCommand): Next {
    const { name, text } = command;
    const space = this.#space;
    const { end } = this.#scope;
    const firstLine = space.split(end, 1)[0] ?? "";
    switch (name) {
      case "p":
        this.#print();
        return "go on";
      case "P":
        this.#emit(firstLine);
        return "go on";
      case "d":
        return "delete";
      case "D":
        if (!space.includes(end)) return "delete";
        this.#space = space.slice(firstLine.length + 1);
        return "restart";
      case "h":
      case "H":
        this.#hold = name === "h" ? space : this.#hold + end + space;
        this.#holdEnded = this.#ended;
        return "go on";
      case "g":
      case "G":
        this.#space = name === "g" ? this.#hold : space + end + this.#hold;
        this.#ended = this.#holdEnded;
        return "go on";
      case "x":
        [this.#space, this.#hold] = [this.#hold, space];
        [this.#ended, this.#holdEnded] = [this.#holdEnded, this.#ended];
        return "go on";
      case "n":
      case "N":
        return this.#advance(name);
      case "q":
      case "Q":
        this.exitCode = Number(text || 0);
        return name === "q" ? "quit" : "quit silently";
      case "b":
        return this.#jump(text);
      case "t":
      case "T":
        return this.#branch(name, text);
      default:
        return this.#writeOut(command, firstLine);
    }
  }

  #writeOut(command: SedCommand, firstLine: string): Next {
    const { name, text, letters } = command;
    if (name === "a") this.#appended.push(text);
    else if (name === "i") this.#insert(text);
    else if (name === "c") {
      if (command.to === null || command.negated || !this.#open.has(command)) this.#insert(text);
      return "delete";
    } else if (name === "=") this.#emit(String(this.#next));
    else if (name === "l") this.#emit(listed(this.#space));
    else if (name === "F") this.#emit(this.#lines[this.#next - 1]?.file ?? "-");
    else if (name === "z") this.#space = "";
    else if (name === "r") this.#appended.push(this.#scope.files.get(text) ?? "");
    else if (name === "R") this.#appended.push(...this.#lineOf(text));
    else if (name === "w" || name === "W") this.#write(text, name === "w" ? this.#space : firstLine);
    else if (name === "y") this.#space = Array.from(this.#space, (one) => letters?.get(one) ?? one).join("");
    return "go on";
  }

  #lineOf(file: string): string[] {
    const at = this.#read.get(file) ?? 0;
    this.#read.set(file, at + 1);
    const line = linesOf(this.#scope.files.get(file) ?? "")[at];
    return line === undefined ? [] : [`${line}\n`];
  }

  #advance(name: "n" | "N"): Next {
    if (this.#next >= this.#lines.length) return "quit";
    const before = this.#space;
    if (name === "n" && !this.#scope.quiet) this.#print();
    this.#flush();
    const substituted = this.#substituted;
    this.#take();
    this.#substituted = substituted;
    if (name === "N") this.#space = before + this.#scope.end + this.#space;
    return "go on";
  }

  #jump(label: string): Next {
    return label === "" ? "end cycle" : (this.#labels.get(label) ?? 0);
  }

  #branch(name: "t" | "T", label: string): Next {
    const goes = this.#substituted === (name === "t");
    this.#substituted = false;
    return goes ? this.#jump(label) : "go on";
  }
}

function linesOfInput(input: Input, end: string): Line[] {
  const texts = textOf(input).split(end);
  const last = texts.pop() ?? "";
  const lines = texts.map((text) => ({ text, ended: true, file: input.name }));
  return last === "" ? lines : [...lines, { text: last, ended: false, file: input.name }];
}

function behindCharacter(text: string, at: number): number {
  return at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
}

function expanded(replacement: string, match: RegExpExecArray): string {
  if (!/[&\\]/.test(replacement)) return replacement;
  const expand = (part: string) =>
    part.replace(/&|\\(x[\dA-Fa-f]{2}|[^])/g, (_, escape: string | undefined) => {
      if (escape === undefined) return match[0];
      return /^\d/.test(escape) ? backReference(match, Number(escape)) : escapedText(escape);
    });
  return /\\[ULEul]/.test(replacement) ? cased(replacement, expand) : expand(replacement);
}

function backReference(match: RegExpExecArray, number: number): string {
  if (number >= match.length) throw new Refusal(`invalid reference \\${number} on \`s' command's RHS`);
  return match[number] ?? "";
}

/** As `l` shows a line: escaped, and broken where it is long. */
function listed(text: string): string {
  const names: Readonly<Record<string, string>> = {
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\f": "\\f",
    "\v": "\\v",
  };
  const escaped = Array.from(text, (one) => names[one] ?? (/[ -~]/.test(one) ? one : octal(one)));
  const lines = [""];
  for (const one of escaped) {
    if ((lines.at(-1) ?? "").length + one.length > LISTED_CHARS) lines.push("");
    lines[lines.length - 1] += one;
  }
  return `${lines.join("\\\n")}$`;
}

function octal(one: string): string {
  return Array.from(bytesOfLatin1(utf8Bytes(one)), (byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
