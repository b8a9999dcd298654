import type { CustomCommand } from "just-bash/browser";
import { inputsOf, Refusal, textCommand, textOf } from "../text/command.ts";
import * as decimal from "./decimal.ts";
import { type Decimal, whole } from "./decimal.ts";
import { FUNCTIONS } from "./functions.ts";

const TOKEN =
  /[ \t\r]+|"[^"]*"|[0-9A-F]+(?:\.[0-9A-F]*)?|\.[0-9A-F]+|[a-z][a-z0-9_]*|\+\+|--|[-+*/%^]=|&&|\|\||[<>=!]=|[-+*/%^<>=!();,.]/y;
const PROGRAMMED = new Set("define if else while for auto return break continue".split(" "));

/** Arbitrary-precision calculator for expressions and assignments, without control flow or function definitions. */
const command = textCommand(
  "bc",
  { flags: "lqsiw", long: { mathlib: "l", quiet: "q", standard: "s", interactive: "i", warn: "w" } },
  async (call) => {
    const texts = (await inputsOf(call, [...call.operands, "-"])).map(textOf);
    const calculator = new Calculator(call.flags.has("l"));
    for (const text of texts) if (!calculator.run(text)) break;
    call.complaints.push(...calculator.complaints);
    return [calculator.output, 0];
  },
);

/** The `bc` command, which exits with 0 despite errors in the calculation. */
export const BC: CustomCommand = {
  ...command,
  execute: async (args, context) => {
    const result = await command.execute(args, context);
    return result.stderr.startsWith("bc: (") ? { ...result, exitCode: 0 } : result;
  },
};

class Calculator {
  output = "";
  readonly complaints: string[] = [];
  readonly #variables = new Map<string, Decimal>();
  readonly #hasFunctions: boolean;
  #tokens: readonly string[] = [];
  #at = 0;

  constructor(hasFunctions: boolean) {
    this.#hasFunctions = hasFunctions;
    for (const [name, value] of [
      ["scale", hasFunctions ? 20 : 0],
      ["ibase", 10],
      ["obase", 10],
    ] as const)
      this.#variables.set(name, whole(value));
  }

  /** Runs each line; an error ends only its line. False if the text quits. */
  run(text: string): boolean {
    const lines = withoutComments(text.replace(/\\\n/g, "")).split("\n");
    for (const [index, line] of lines.entries()) {
      try {
        this.#tokens = tokensOf(line);
        this.#at = 0;
        while (this.#at < this.#tokens.length) {
          if (this.#takes(";")) continue;
          if (this.#takes("quit") || this.#takes("halt")) return false;
          this.#statement();
          if (this.#at < this.#tokens.length && !this.#takes(";")) throw new Refusal("syntax error");
        }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        this.complaints.push(`(standard_in) ${index + 1}: ${error.message}`);
      }
    }
    return true;
  }

  #statement(): void {
    const [first = "", second = ""] = this.#tokens.slice(this.#at);
    if (PROGRAMMED.has(first)) throw new Refusal(`'${first}' is not known here: only expressions are calculated`);
    if (first === "print") {
      this.#at++;
      do this.#print();
      while (this.#takes(","));
    } else if (first.startsWith('"')) this.#print();
    else {
      const assigns = /^[a-z]/.test(first) && /^(?:[-+*/%^]?=)$/.test(second);
      const value = this.#expression();
      if (assigns) return;
      this.#variables.set("last", value);
      this.output += `${folded(decimal.written(value, this.#setting("obase")))}\n`;
    }
  }

  #print(): void {
    const token = this.#tokens[this.#at] ?? "";
    if (!token.startsWith('"')) {
      this.output += decimal.written(this.#expression(), this.#setting("obase"));
      return;
    }
    this.#at++;
    this.output += token.slice(1, -1).replace(/\\([ntq\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);
  }

  #setting(name: string): number {
    return Number(decimal.rescaled(this.#variables.get(name) ?? whole(0), 0).units);
  }

  #takes(token: string): boolean {
    if (this.#tokens[this.#at] !== token) return false;
    this.#at++;
    return true;
  }

  #expect(token: string): void {
    if (!this.#takes(token)) throw new Refusal("syntax error");
  }

  #expression(): Decimal {
    return this.#level(0);
  }

  /** Parses operators of one level; later levels in the list bind more tightly. */
  #level(level: number): Decimal {
    const operators = LEVELS[level];
    if (operators === undefined) return this.#power();
    if (operators === "!") return this.#takes("!") ? truth(isZero(this.#level(level))) : this.#level(level + 1);
    if (operators === "=") return this.#assignment();
    let left = this.#level(level + 1);
    for (let token = this.#tokens[this.#at]; token !== undefined && operators.split(" ").includes(token); ) {
      this.#at++;
      left = this.#applied(token, left, this.#level(level + 1));
      token = this.#tokens[this.#at];
    }
    return left;
  }

  #assignment(): Decimal {
    const [name = "", operator = ""] = this.#tokens.slice(this.#at);
    if (!/^[a-z]/.test(name) || !/^[-+*/%^]?=$/.test(operator)) return this.#level(SUMS);
    this.#at += 2;
    const right = this.#assignment();
    return this.#set(name, operator === "=" ? right : this.#applied(operator.charAt(0), this.#get(name), right));
  }

  #get(name: string): Decimal {
    return this.#variables.get(name) ?? whole(0);
  }

  #set(name: string, value: Decimal): Decimal {
    const isBase = name === "ibase" || name === "obase";
    const most = name === "ibase" ? 16 : Number.MAX_SAFE_INTEGER;
    const kept = isBase ? whole(Math.max(2, Math.min(most, Number(decimal.rescaled(value, 0).units)))) : value;
    this.#variables.set(name, kept);
    return kept;
  }

  #applied(operator: string, left: Decimal, right: Decimal): Decimal {
    const scale = this.#setting("scale");
    if ((operator === "/" || operator === "%") && isZero(right)) throw new Refusal("Divide by zero");
    const sign = decimal.compare(left, right);
    switch (operator) {
      case "+":
        return decimal.add(left, right);
      case "-":
        return decimal.add(left, decimal.negated(right));
      case "*":
        return decimal.multiply(left, right, scale);
      case "/":
        return decimal.divide(left, right, scale);
      case "%":
        return decimal.remainder(left, right, scale);
      case "^":
        if (right.units < 0n && isZero(left)) throw new Refusal("Divide by zero");
        return decimal.raise(left, right, scale);
      case "&&":
        return truth(!isZero(left) && !isZero(right));
      case "||":
        return truth(!isZero(left) || !isZero(right));
      default:
        return truth(
          { "<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "!=": sign !== 0 }[operator] ?? sign === 0,
        );
    }
  }

  #power(): Decimal {
    if (this.#takes("-")) return decimal.negated(this.#power());
    const base = this.#operand();
    return this.#takes("^") ? this.#applied("^", base, this.#power()) : base;
  }

  #operand(): Decimal {
    const token = this.#tokens[this.#at++] ?? "";
    if (token === "(") {
      const value = this.#expression();
      this.#expect(")");
      return value;
    }
    if (token === ".") return this.#get("last");
    if (token === "++" || token === "--") return this.#stepped(this.#tokens[this.#at++] ?? "", token);
    if (/^[.0-9A-F]/.test(token)) return decimal.parsed(token, this.#setting("ibase"));
    if (!/^[a-z]/.test(token)) throw new Refusal("syntax error");
    if (this.#takes("(")) return this.#called(token);
    const value = this.#get(token);
    const step = this.#tokens[this.#at] ?? "";
    if (this.#takes("++") || this.#takes("--")) this.#stepped(token, step);
    return value;
  }

  /** Adds 1 to a variable, or subtracts 1. */
  #stepped(name: string, step: string): Decimal {
    if (!/^[a-z]/.test(name)) throw new Refusal("syntax error");
    return this.#set(name, this.#applied(step.charAt(0), this.#get(name), whole(1)));
  }

  #called(name: string): Decimal {
    const value = this.#expression();
    this.#expect(")");
    const scale = this.#setting("scale");
    if (name === "scale") return whole(value.scale);
    if (name === "length") return whole(Math.max(value.units.toString().replace("-", "").length, value.scale));
    if (name === "sqrt") {
      if (value.units < 0n) throw new Refusal("Square root of a negative number");
      return decimal.squareRoot(value, scale);
    }
    const calculate = this.#hasFunctions ? FUNCTIONS.get(name) : undefined;
    if (calculate === undefined) throw new Refusal(`Function ${name} not defined.`);
    return calculate(value, scale);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", q: '"', "\\": "\\" };
const LEVELS = ["||", "&&", "!", "< <= > >= == !=", "=", "+ -", "* / %"];
const SUMS = 5;

const truth = (is: boolean) => whole(is ? 1 : 0);
const isZero = ({ units }: Decimal) => units === 0n;

function tokensOf(line: string): string[] {
  const tokens: string[] = [];
  for (let at = 0; at < line.length; ) {
    TOKEN.lastIndex = at;
    const [token] = TOKEN.exec(line) ?? [];
    if (token === undefined) throw new Refusal(`illegal character: ${line.charAt(at)}`);
    if (token.trim() !== "") tokens.push(token);
    at += token.length;
  }
  return tokens;
}

function withoutComments(text: string): string {
  const [before = "", ...comments] = text.split("/*");
  const behind = comments.map((part) => (part.includes("*/") ? ` ${part.slice(part.indexOf("*/") + 2)}` : ""));
  return [before, ...behind].join("").replace(/#.*/g, "");
}

/** Breaks a long number into lines that end with a backslash. */
function folded(text: string): string {
  return (text.match(/.{1,68}/g) ?? []).join("\\\n");
}
