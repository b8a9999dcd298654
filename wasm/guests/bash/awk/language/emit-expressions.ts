import { Refusal } from "../../text/command.ts";
import { type Analysis, GIVEN_ARRAYS, keyOf, waits } from "./analysis.ts";
import { type Code, compared, numeric, textual, truth, valued } from "./code.ts";
import { functionCall } from "./emit-functions.ts";
import { FUNCTIONS } from "./expressions.ts";
import {
  type Call,
  type Element,
  type Expression,
  type Function,
  type Getline,
  type Name,
  type Program,
  partsOf,
  type Target,
} from "./syntax.ts";
import { readSpecial, setSpecial } from "./variables.ts";

type Of<T extends Expression["type"]> = Extract<Expression, { readonly type: T }>;

const ARITHMETIC: Readonly<Record<string, (left: string, right: string) => string>> = {
  "+": (left, right) => `(${left}+${right})`,
  "-": (left, right) => `(${left}-${right})`,
  "*": (left, right) => `(${left}*${right})`,
  "/": (left, right) => `(${left}/nonZero(${right}))`,
  "%": (left, right) => `(${left}%nonZero(${right}))`,
  "^": (left, right) => `power(${left},${right})`,
};

/** Expressions that may change variables. */
const EFFECTS: ReadonlySet<string> = new Set(["assign", "step", "getline", "call"]);

/** Names of variables, parameters and functions in the translation, which JavaScript gives no other meaning. */
export const GLOBAL = "g_";
export const PARAMETER = "p_";
export const FUNCTION = "f_";

/** What gawk says of itself here; it says more elsewhere. */
const KNOWN = new Set(["sorted_in", "version"]);

function refuseUnknown({ array, keys: [key] }: Element): void {
  if (array.type !== "name" || array.name !== "PROCINFO" || key?.type !== "string" || KNOWN.has(key.value)) return;
  throw new Refusal(`PROCINFO["${key.value}"] is not known here`, 2);
}

function constantOf(constants: string[], code: string): string {
  const found = constants.indexOf(code);
  return `c${found === -1 ? constants.push(code) - 1 : found}`;
}

/** Translates the expressions of one function or rule. */
export class ExpressionEmitter {
  readonly program: Program;
  readonly analysis: Analysis;
  readonly within: Function | null;
  /** Local variables of the translation that hold values in between. */
  readonly temporaries: string[] = [];
  /** Names of variables of the program. */
  readonly globals: Set<string>;

  /** Code of what is computed once, such as patterns; null if they may change. */
  readonly constants: string[] | null;

  constructor(given: Pick<ExpressionEmitter, "program" | "analysis" | "within" | "globals" | "constants">) {
    this.program = given.program;
    this.analysis = given.analysis;
    this.within = given.within;
    this.globals = given.globals;
    this.constants = given.constants;
  }

  temporary(): string {
    const name = `t${this.temporaries.length}`;
    this.temporaries.push(name);
    return name;
  }

  expression(one: Expression): Code {
    switch (one.type) {
      case "number":
        return { kind: "number", code: `(${one.value})` };
      case "string":
        return { kind: "text", code: JSON.stringify(one.value) };
      case "pattern":
        return { kind: "truth", code: `${this.pattern(one)}.test(awk.fields.text(0))` };
      case "group": {
        const [only] = one.list;
        if (only === undefined || one.list.length > 1) throw new Refusal("a list in parentheses is no value", 1);
        return this.expression(only);
      }
      case "name":
        return this.#scalar(one.name);
      case "field":
        return { kind: "field", code: this.#index(one.index) };
      case "element":
        refuseUnknown(one);
        return { kind: "value", code: `elementOf(${this.array(one.array)},${this.key(one.keys)})` };
      case "assign":
        return this.#assignment(one);
      case "choice": {
        const [yes, no] = [this.value(one.yes), this.value(one.no)];
        return { kind: "value", code: `(${this.truth(one.condition)}?${yes}:${no})` };
      }
      case "binary":
        return this.#binary(one);
      case "unary":
        if (one.operator === "!") return { kind: "truth", code: `!(${this.truth(one.operand)})` };
        return { kind: "number", code: `(${one.operator === "-" ? "-" : "+"}(${this.number(one.operand)}))` };
      case "step":
        return this.step(one, true);
      case "in":
        return { kind: "truth", code: `${this.array(one.array)}.has(${this.key(one.keys)})` };
      case "getline":
        return this.#getline(one);
      default:
        return this.#call(one);
    }
  }

  number(one: Expression): string {
    return numeric(this.expression(one));
  }

  text(one: Expression): string {
    return textual(this.expression(one));
  }

  truth(one: Expression): string {
    return truth(this.expression(one));
  }

  value(one: Expression): string {
    return valued(this.expression(one));
  }

  compared(operator: string, left: Code, right: Code): string {
    return compared(operator, [left, right], this.constants === null);
  }

  /** The pattern that an expression stands for: itself, or what its text says. */
  pattern(one: Expression): string {
    const only = one.type === "group" && one.list.length === 1 ? one.list[0] : one;
    if (only?.type !== "pattern") return `awk.pattern(${this.text(one)})`;
    const code = `awk.pattern(${JSON.stringify(only.source)})`;
    return this.constants === null ? code : constantOf(this.constants, code);
  }

  array(one: Name | Element): string {
    if (one.type === "element") return `subarrayOf(${this.array(one.array)},${this.key(one.keys)})`;
    if (this.within?.params.includes(one.name) !== true && readSpecial(one.name) !== null)
      throw new Refusal(`${one.name} is no array`, 1);
    return GIVEN_ARRAYS.has(one.name) ? `awk.${one.name}` : this.#variable(one.name);
  }

  key(keys: readonly Expression[]): string {
    return keys.map((one) => this.text(one)).join("+awk.SUBSEP+");
  }

  #index(one: Expression): string {
    return one.type === "number" && Number.isInteger(one.value) ? String(one.value) : `fieldIndex(${this.number(one)})`;
  }

  #variable(name: string): string {
    if (this.within?.params.includes(name) === true) return PARAMETER + name;
    if (this.program.functions.has(name) || FUNCTIONS.has(name))
      throw new Refusal(`the function ${name} is used as a variable`, 1);
    this.globals.add(name);
    return GLOBAL + name;
  }

  #scalar(name: string): Code {
    const special = this.within?.params.includes(name) === true ? null : readSpecial(name);
    if (special !== null) return special;
    if (this.analysis.arrays.has(keyOf(name, this.within)))
      throw new Refusal(`attempt to use array \`${name}' in a scalar context`, 2);
    return { kind: "value", code: this.#variable(name) };
  }

  /** Assigns a value that is already evaluated, such as a local variable of the translation. */
  assign(target: Target, value: Code): Code {
    const code = valued(value);
    if (target.type === "field") return { kind: "value", code: `awk.fields.set(${code},${this.#index(target.index)})` };
    if (target.type === "element")
      return {
        kind: value.kind === "field" ? "value" : value.kind,
        code: `setElement(${code},${this.array(target.array)},${this.key(target.keys)})`,
      };
    if (this.within?.params.includes(target.name) !== true) {
      const special = setSpecial(target.name, { number: numeric(value), text: textual(value), value: code });
      if (special !== null) return special;
    }
    const kind = value.kind === "number" || value.kind === "text" ? value.kind : "value";
    return { kind, code: `(${this.#scalar(target.name).code}=${code})` };
  }

  /** A target whose subscripts are evaluated once, although it is read and set; `before` evaluates them. */
  once(target: Target): { readonly before: string; readonly read: Code; readonly set: (value: Code) => Code } {
    if (target.type === "name")
      return { before: "", read: this.expression(target), set: (value) => this.assign(target, value) };
    if (target.type === "field") {
      const at = this.temporary();
      const set = (value: Code): Code => ({ kind: "value", code: `awk.fields.set(${valued(value)},${at})` });
      return { before: `${at}=${this.#index(target.index)},`, read: { kind: "field", code: at }, set };
    }
    const [array, key] = [this.temporary(), this.temporary()];
    return {
      before: `${array}=${this.array(target.array)},${key}=${this.key(target.keys)},`,
      read: { kind: "value", code: `elementOf(${array},${key})` },
      set: ({ kind, code }) => ({ kind, code: `setElement(${code},${array},${key})` }),
    };
  }

  #assignment({ operator, target, value }: Of<"assign">): Code {
    const arithmetic = ARITHMETIC[operator.slice(0, -1)];
    if (arithmetic === undefined) return this.assign(target, this.expression(value));
    // The value is evaluated before the target, which matters only if either changes something.
    const given = this.number(value);
    const parts = [...partsOf(value), ...partsOf(target)];
    const first = parts.some(({ type }) => EFFECTS.has(type)) ? this.temporary() : null;
    const { before, read, set } = this.once(target);
    const { kind, code } = set({ kind: "number", code: arithmetic(numeric(read), first ?? given) });
    return { kind, code: `(${first === null ? "" : `${first}=${given},`}${before}${code})` };
  }

  step({ by, isPrefix, target }: Of<"step">, isUsed: boolean): Code {
    const { before, read, set } = this.once(target);
    const change = by === 1 ? "+1" : "-1";
    if (isPrefix || !isUsed) {
      const { kind, code } = set({ kind: "number", code: `(${numeric(read)}${change})` });
      return { kind, code: `(${before}${code})` };
    }
    const old = this.temporary();
    const { code } = set({ kind: "number", code: `${old}${change}` });
    return { kind: "number", code: `(${before}${old}=${numeric(read)},${code},${old})` };
  }

  #binary({ operator, left, right }: Of<"binary">): Code {
    const arithmetic = ARITHMETIC[operator];
    if (arithmetic !== undefined) return { kind: "number", code: arithmetic(this.number(left), this.number(right)) };
    switch (operator) {
      case " ":
        return { kind: "text", code: `(${this.text(left)}+${this.text(right)})` };
      case "&&":
      case "||":
        return { kind: "truth", code: `(${this.truth(left)}${operator}${this.truth(right)})` };
      case "~":
      case "!~": {
        const [text, pattern] = [this.text(left), this.pattern(right)];
        return { kind: "truth", code: `${operator === "~" ? "" : "!"}${pattern}.test(${text})` };
      }
      default:
        return { kind: "truth", code: `(${this.compared(operator, this.expression(left), this.expression(right))})` };
    }
  }

  #getline({ source, from, target }: Getline): Code {
    const name = from === undefined ? "" : this.text(from);
    const status = this.temporary();
    const read = `${status}=await awk.getline(${JSON.stringify(source)},${name === "" ? '""' : name},${target === undefined})`;
    if (target === undefined) return { kind: "number", code: `(${read})` };
    const { code } = this.assign(target, { kind: "value", code: "inputValue(awk.got)" });
    return { kind: "number", code: `(${read},${status}>0&&(${code}),${status})` };
  }

  #call({ name, args }: Call): Code {
    if (typeof name !== "string") {
      const values = args.map((arg) => this.argument(arg, false));
      return { kind: "value", code: `(await awk.called(functions,${this.text(name)})(${values.join()}))` };
    }
    const called = this.program.functions.get(name);
    if (called === undefined) {
      if (FUNCTIONS.has(name)) return functionCall(this, { name, args });
      throw new Refusal(`function ${name} is not known here`, 2);
    }
    const values = args.map((arg, at) =>
      this.argument(arg, this.analysis.arrays.has(`${name} ${called.params[at] ?? ""}`)),
    );
    const code = `${FUNCTION}${name}(${values.join()})`;
    return { kind: "value", code: this.analysis.waiting.has(name) ? `(await ${code})` : code };
  }

  /** An argument, which may be an array. */
  argument(one: Expression, isArray: boolean): string {
    if (one.type === "name" && this.analysis.arrays.has(keyOf(one.name, this.within))) return this.array(one);
    if (isArray && (one.type === "name" || one.type === "element")) return this.array(one);
    if (one.type === "element") return `cellOf(${this.array(one.array)},${this.key(one.keys)})`;
    return this.value(one);
  }

  waits(part: object): boolean {
    return waits(part, this.analysis.waiting);
  }
}
