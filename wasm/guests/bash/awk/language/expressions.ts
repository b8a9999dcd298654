import { Refusal } from "../../text/command.ts";
import { type Call, type Element, type Expression, isTarget, type Name, type Target } from "./syntax.ts";
import { numeralOf, type Token, tokensOf } from "./tokens.ts";

const ASSIGNMENTS = new Set(["=", "+=", "-=", "*=", "/=", "%=", "^="]);
const COMPARISONS = new Set(["<", "<=", "==", "!=", ">", ">="]);
/** What the right side of a concatenation begins with. */
const OPERANDS = new Set(["number", "string", "pattern", "name", "$", "!", "(", "++", "--", "@"]);

/** Functions of awk, which may stand apart from their parentheses. */
export const FUNCTIONS: ReadonlySet<string> = new Set(
  "length substr index split patsplit sub gsub gensub match sprintf tolower toupper sin cos atan2 exp log sqrt int rand srand system close fflush systime mktime strftime asort asorti strtonum and or xor lshift rshift compl typeof isarray".split(
    " ",
  ),
);

/** Reads expressions, each kind with those that bind more tightly as its parts. */
export class Expressions {
  readonly #tokens: readonly Token[];
  #at = 0;
  /** False where `>` names a file to print to. */
  #comparesGreater = true;
  readonly #functions: ReadonlySet<string>;

  constructor(program: string) {
    this.#tokens = tokensOf(program);
    this.#functions = new Set(
      this.#tokens.flatMap(({ kind }, at) => (kind === "function" ? [this.#tokens[at + 1]?.text ?? ""] : [])),
    );
  }

  kind(ahead = 0): string {
    return this.#tokens[this.#at + ahead]?.kind ?? "end";
  }

  take(): Token {
    const token = this.#tokens[this.#at];
    if (token === undefined) throw new Refusal("the program ends too early", 1);
    this.#at += 1;
    return token;
  }

  takeIf(kind: string): boolean {
    if (this.kind() !== kind) return false;
    this.#at += 1;
    return true;
  }

  expect(kind: string): Token {
    return this.kind() === kind ? this.take() : this.fail();
  }

  fail(): never {
    const { text = "", line = 0 } = this.#tokens[this.#at] ?? {};
    throw new Refusal(`line ${line}: syntax error at or near ${text}`, 1);
  }

  skip(...kinds: readonly string[]): void {
    while (kinds.includes(this.kind())) this.#at += 1;
  }

  /** Goes back if the reader returns false. */
  attempt(read: () => boolean): boolean {
    const before = this.#at;
    const found = read();
    if (!found) this.#at = before;
    return found;
  }

  /** Reads what is printed, behind which `>` names a file. */
  printed<T>(read: () => T): T {
    this.#comparesGreater = false;
    const found = read();
    this.#comparesGreater = true;
    return found;
  }

  list(end: string): Expression[] {
    const found: Expression[] = [];
    this.skip("newline");
    while (this.kind() !== end) {
      found.push(this.expression());
      this.skip("newline");
      if (!this.takeIf(",")) break;
      this.skip("newline");
    }
    return found;
  }

  expression(): Expression {
    const condition = this.#disjunction();
    if (!this.takeIf("?")) return condition;
    this.skip("newline");
    const yes = this.expression();
    this.skip("newline");
    this.expect(":");
    this.skip("newline");
    return { type: "choice", condition, yes, no: this.expression() };
  }

  #disjunction(): Expression {
    let left = this.#conjunction();
    while (this.takeIf("||")) {
      this.skip("newline");
      left = { type: "binary", operator: "||", left, right: this.#conjunction() };
    }
    return left;
  }

  #conjunction(): Expression {
    let left = this.#membership();
    while (this.takeIf("&&")) {
      this.skip("newline");
      left = { type: "binary", operator: "&&", left, right: this.#membership() };
    }
    return left;
  }

  #membership(): Expression {
    let left = this.#match();
    while (this.takeIf("in"))
      left = { type: "in", keys: left.type === "group" ? left.list : [left], array: this.array() };
    return left;
  }

  #match(): Expression {
    let left = this.#comparison();
    while (this.kind() === "~" || this.kind() === "!~") {
      const operator = this.take().kind;
      left = { type: "binary", operator, left, right: this.#comparison() };
    }
    return left;
  }

  #comparison(): Expression {
    let left = this.concatenation();
    while (COMPARISONS.has(this.kind()) && (this.kind() !== ">" || this.#comparesGreater)) {
      const operator = this.take().kind;
      left = { type: "binary", operator, left, right: this.concatenation() };
    }
    return left;
  }

  /** Texts side by side, and what reads from a command that they name. */
  concatenation(): Expression {
    let left = this.#sum();
    while (OPERANDS.has(this.kind())) left = { type: "binary", operator: " ", left, right: this.#sum() };
    while (/^\|&?$/.test(this.kind()) && this.kind(1) === "getline") {
      this.take();
      this.take();
      left = { type: "getline", source: "command", from: left, ...this.#optionalTarget() };
    }
    return left;
  }

  #sum(): Expression {
    let left = this.#product();
    while (this.kind() === "+" || this.kind() === "-") {
      const operator = this.take().kind;
      left = { type: "binary", operator, left, right: this.#product() };
    }
    return left;
  }

  #product(): Expression {
    let left = this.#signed();
    while (/^[*/%]$/.test(this.kind())) {
      const operator = this.take().kind;
      left = { type: "binary", operator, left, right: this.#signed() };
    }
    return left;
  }

  #signed(): Expression {
    if (!/^[-+!]$/.test(this.kind())) return this.#power();
    const operator = this.take().kind;
    return { type: "unary", operator, operand: this.#signed() };
  }

  #power(): Expression {
    const left = this.#changed();
    return this.takeIf("^") ? { type: "binary", operator: "^", left, right: this.#signed() } : left;
  }

  /** A value, which may be changed by an assignment or a step behind it. */
  #changed(): Expression {
    const value = this.#value();
    if (!isTarget(value)) return value;
    const target = value;
    if (ASSIGNMENTS.has(this.kind())) {
      const operator = this.take().kind;
      this.skip("newline");
      return { type: "assign", operator, target, value: this.expression() };
    }
    if (this.takeIf("++")) return { type: "step", by: 1, isPrefix: false, target };
    if (this.takeIf("--")) return { type: "step", by: -1, isPrefix: false, target };
    return value;
  }

  #value(): Expression {
    const token = this.take();
    switch (token.kind) {
      case "number":
        return { type: "number", value: numeralOf(token.text) };
      case "string":
        return { type: "string", value: token.text };
      case "pattern":
        return { type: "pattern", source: token.text };
      case "name":
        return this.#named(token);
      case "$":
        return { type: "field", index: /^[-+!]$/.test(this.kind()) ? this.#signed() : this.#value() };
      case "++":
      case "--":
        return { type: "step", by: token.kind === "++" ? 1 : -1, isPrefix: true, target: this.#target() };
      case "getline":
        return this.#getline();
      case "@":
        return { type: "call", name: { type: "name", name: this.expect("name").text }, args: this.#arguments() };
      case "(":
        return this.#parenthesised();
      case "-":
      case "+":
      case "!":
        return { type: "unary", operator: token.kind, operand: this.#value() };
      default:
        this.#at -= 1;
        return this.fail();
    }
  }

  #named({ text: name, isTouching }: Token): Expression {
    if (this.kind() === "[") return this.#elementOf({ type: "name", name });
    const isCall = isTouching || (this.kind() === "(" && (FUNCTIONS.has(name) || this.#functions.has(name)));
    if (isCall) return { type: "call", name, args: this.#arguments() };
    return name === "length" ? { type: "call", name, args: [] } : { type: "name", name };
  }

  #arguments(): Call["args"] {
    this.expect("(");
    const args = this.#inside(() => this.list(")"));
    this.expect(")");
    return args;
  }

  #inside<T>(read: () => T): T {
    const outside = this.#comparesGreater;
    this.#comparesGreater = true;
    const found = read();
    this.#comparesGreater = outside;
    return found;
  }

  #elementOf(name: Name): Element {
    let found: Name | Element = name;
    while (this.takeIf("[")) {
      found = { type: "element", array: found, keys: this.#inside(() => this.list("]")) };
      this.expect("]");
    }
    return found.type === "element" ? found : this.fail();
  }

  /** The array of `in`, `delete` and `for`. */
  array(): Name | Element {
    const name: Name = { type: "name", name: this.expect("name").text };
    return this.kind() === "[" ? this.#elementOf(name) : name;
  }

  #target(): Target {
    const found = this.#value();
    return isTarget(found) ? found : this.fail();
  }

  #optionalTarget(): { readonly target?: Target } {
    return this.kind() === "name" || this.kind() === "$" ? { target: this.#target() } : {};
  }

  #getline(): Expression {
    const target = this.#optionalTarget();
    if (!this.takeIf("<")) return { type: "getline", source: "main", ...target };
    return { type: "getline", source: "file", from: this.#value(), ...target };
  }

  #parenthesised(): Expression {
    const list = this.#inside(() => this.list(")"));
    this.expect(")");
    const [only] = list;
    if (only === undefined) return this.fail();
    return list.length > 1 || isTarget(only) ? { type: "group", list } : only;
  }
}
