import { Refusal } from "../../text/command.ts";
import { type Code, textual } from "./code.ts";
import { type Element, type Expression, isTarget, type Name, type Target } from "./syntax.ts";

type Argument = Expression | undefined;
type Kind = Code["kind"];

/** What functions give, and what they take. */
const SIMPLE: Readonly<Record<string, { readonly kind: Kind; readonly takes: "text" | "number" | "value" }>> = {
  tolower: { kind: "text", takes: "text" },
  toupper: { kind: "text", takes: "text" },
  fflush: { kind: "number", takes: "text" },
  mktime: { kind: "number", takes: "text" },
  strftime: { kind: "text", takes: "text" },
  strtonum: { kind: "number", takes: "value" },
};

/** What translates the arguments. */
interface Emitter {
  text(one: Expression): string;
  number(one: Expression): string;
  value(one: Expression): string;
  pattern(one: Expression): string;
  array(one: Name | Element): string;
  argument(one: Expression, isArray: boolean): string;
  temporary(): string;
  once(target: Target): { readonly before: string; readonly read: Code; readonly set: (value: Code) => Code };
}

interface FunctionCall {
  readonly name: string;
  readonly args: readonly Expression[];
}

const RECORD: Expression = { type: "field", index: { type: "number", value: 0 } };

/** Translates a call of one of awk's own functions. */
export function functionCall(emit: Emitter, { name, args }: FunctionCall): Code {
  const call = new Arguments(emit, name);
  const [first, second, third, fourth] = args;
  const made = (kind: Kind, ...codes: readonly string[]): Code => ({ kind, code: `awk.${name}(${codes.join()})` });
  switch (name) {
    case "index":
      if (second?.type === "pattern") throw new Refusal("index: regexp constant as second argument is not allowed", 2);
      return made("number", call.text(first), call.text(second));
    case "length":
      if (first === undefined) return { kind: "number", code: "characterCount(awk.fields.text(0))" };
      return { kind: "number", code: `lengthOf(${emit.argument(first, false)})` };
    case "sub":
    case "gsub":
      return replacing(emit, name === "gsub", args);
    case "split":
    case "patsplit":
      return made("number", call.text(first), call.array(second), call.separator(third), call.array(fourth));
    case "match":
      return made("number", call.text(first), call.separator(second), call.array(third));
    case "gensub":
      return made("text", call.pattern(first), call.text(second), call.text(fourth ?? RECORD), call.text(third));
    case "asort":
    case "asorti":
      return made("number", call.array(first), call.array(second), call.text(third));
    case "substr":
      return { kind: "text", code: `substring(${call.text(first)},${call.number(second)},${call.number(third)})` };
    case "sprintf":
      return { kind: "text", code: `awk.formatted(${call.text(first)},[${args.slice(1).map(call.value).join()}])` };
    case "system":
    case "close":
      return { kind: "number", code: `(await awk.${name}(${call.text(first)},${call.text(second)}))` };
    case "typeof":
    case "isarray":
      return made(name === "typeof" ? "text" : "number", first === undefined ? "" : emit.argument(first, false));
    default: {
      const { kind, takes } = SIMPLE[name] ?? { kind: "number", takes: "number" };
      return made(kind, ...args.map(call[takes]));
    }
  }
}

/** Arguments of a function; those that are missing are undefined. */
class Arguments {
  readonly #emit: Emitter;
  readonly #name: string;

  constructor(emit: Emitter, name: string) {
    this.#emit = emit;
    this.#name = name;
  }

  readonly text = (one: Argument): string => (one === undefined ? "undefined" : this.#emit.text(one));
  readonly number = (one: Argument): string => (one === undefined ? "undefined" : this.#emit.number(one));
  readonly value = (one: Argument): string => (one === undefined ? "undefined" : this.#emit.value(one));

  array(one: Argument): string {
    if (one === undefined) return "undefined";
    if (one.type === "name" || one.type === "element") return this.#emit.array(one);
    throw new Refusal(`${this.#name} needs an array`, 1);
  }

  pattern(one: Argument): string {
    if (one === undefined) throw new Refusal(`${this.#name} needs a pattern`, 1);
    return this.#emit.pattern(one);
  }

  /** A pattern, or a text, which may mean something else than as a pattern. */
  separator(one: Argument): string {
    return one?.type === "pattern" ? this.#emit.pattern(one) : this.text(one);
  }
}

/** `sub` and `gsub`, which set their third argument, or the record. */
function replacing(emit: Emitter, all: boolean, args: readonly Expression[]): Code {
  const [pattern, replacement, given = RECORD] = args;
  if (pattern === undefined || replacement === undefined) throw new Refusal("sub needs a pattern and a text", 1);
  const target = given.type === "group" ? (given.list[0] ?? RECORD) : given;
  const result = emit.temporary();
  const once = isTarget(target) ? emit.once(target) : null;
  const text = once === null ? emit.text(target) : textual(once.read);
  const call = `${result}=awk.replaced(${emit.pattern(pattern)},${emit.text(replacement)},${text},${all})`;
  if (once === null) return { kind: "number", code: `(${call},awk.replacements)` };
  const { code } = once.set({ kind: "text", code: result });
  return { kind: "number", code: `(${once.before}${call},awk.replacements>0&&(${code}),awk.replacements)` };
}
