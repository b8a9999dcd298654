import { Refusal } from "../../text/command.ts";
import { Expressions } from "./expressions.ts";
import type { Expression, Function, Name, Print, Program, Rule, Statement, Switch } from "./syntax.ts";

const WHEN = ["BEGIN", "END", "BEGINFILE", "ENDFILE"] as const;
const DEFAULT: Statement = { type: "print", isFormatted: false, args: [] };

export function parse(program: string): Program {
  return new Parser(program).program();
}

class Parser extends Expressions {
  program(): Program {
    const functions = new Map<string, Function>();
    const rules: Rule[] = [];
    for (;;) {
      this.skip("newline", ";");
      if (this.kind() === "end") return { functions, rules };
      if (this.takeIf("function")) {
        const found = this.#function();
        if (functions.has(found.name)) throw new Refusal(`function ${found.name} is defined twice`, 1);
        functions.set(found.name, found);
      } else rules.push(this.#rule());
    }
  }

  #function(): Function {
    const { text: name } = this.expect("name");
    this.expect("(");
    const params: string[] = [];
    this.skip("newline");
    while (this.kind() !== ")") {
      const { text } = this.expect("name");
      if (text === name || params.includes(text))
        throw new Refusal(`function ${name}: the parameter ${text} is taken`, 1);
      params.push(text);
      this.skip("newline");
      if (!this.takeIf(",")) break;
      this.skip("newline");
    }
    this.expect(")");
    this.skip("newline");
    return { name, params, body: this.#block() };
  }

  #rule(): Rule {
    const when = WHEN.find((one) => one === this.kind());
    if (when !== undefined) {
      this.take();
      return { when, from: null, to: null, body: this.#block() };
    }
    if (this.kind() === "{") return { when: "record", from: null, to: null, body: this.#block() };
    const from = this.expression();
    let to: Expression | null = null;
    if (this.takeIf(",")) {
      this.skip("newline");
      to = this.expression();
    }
    return { when: "record", from, to, body: this.kind() === "{" ? this.#block() : DEFAULT };
  }

  #block(): Statement {
    this.expect("{");
    const body = this.#statements("}");
    this.expect("}");
    return { type: "block", body };
  }

  #statements(...ends: readonly string[]): Statement[] {
    const found: Statement[] = [];
    for (;;) {
      this.skip("newline", ";");
      if (ends.includes(this.kind())) return found;
      found.push(this.#statement());
    }
  }

  /** A statement that belongs to one before it, such as `if`. */
  #body(): Statement {
    this.skip("newline");
    if (this.takeIf(";")) return { type: "block", body: [] };
    return this.#statement();
  }

  #statement(): Statement {
    switch (this.kind()) {
      case "{":
        return this.#block();
      case "if":
        return this.#if();
      case "while": {
        this.take();
        return { type: "while", condition: this.#condition(), body: this.#body() };
      }
      case "for":
        return this.#for();
      case "do":
        return this.#do();
      case "switch":
        return this.#switch();
      default: {
        const found = this.#simple();
        if (this.kind() !== "}" && !this.takeIf(";")) this.expect("newline");
        return found;
      }
    }
  }

  #condition(): Expression {
    this.expect("(");
    const found = this.expression();
    this.expect(")");
    return found;
  }

  #if(): Statement {
    this.take();
    const condition = this.#condition();
    const yes = this.#body();
    const hasElse = this.attempt(() => {
      this.skip("newline", ";");
      return this.takeIf("else");
    });
    return { type: "if", condition, yes, no: hasElse ? this.#body() : null };
  }

  #do(): Statement {
    this.take();
    const body = this.#body();
    this.skip("newline", ";");
    this.expect("while");
    return { type: "do", condition: this.#condition(), body };
  }

  #for(): Statement {
    this.take();
    this.expect("(");
    if (this.kind() === "name" && this.kind(1) === "in") {
      const found = this.#forIn();
      if (found !== null) return found;
    }
    const start = this.kind() === ";" ? null : this.#simple();
    this.expect(";");
    this.skip("newline");
    const condition = this.kind() === ";" ? null : this.expression();
    this.expect(";");
    this.skip("newline");
    const step = this.kind() === ")" ? null : this.#simple();
    this.expect(")");
    return { type: "for", start, condition, step, body: this.#body() };
  }

  #forIn(): Statement | null {
    let found: { readonly target: Name; readonly array: ReturnType<Expressions["array"]> } | null = null;
    const isList = this.attempt(() => {
      const target: Name = { type: "name", name: this.take().text };
      this.take();
      found = { target, array: this.array() };
      return this.takeIf(")");
    });
    return isList && found !== null
      ? { type: "forIn", ...(found as { target: Name; array: Name }), body: this.#body() }
      : null;
  }

  #switch(): Statement {
    this.take();
    const value = this.#condition();
    this.skip("newline");
    this.expect("{");
    this.skip("newline", ";");
    const cases: Switch["cases"][number][] = [];
    while (this.kind() !== "}") {
      const isDefault = this.takeIf("default");
      if (!isDefault) this.expect("case");
      const value = isDefault ? null : this.concatenation();
      this.expect(":");
      cases.push({ value, body: this.#statements("case", "default", "}") });
    }
    this.expect("}");
    return { type: "switch", value, cases };
  }

  #simple(): Statement {
    const kind = this.kind();
    switch (kind) {
      case "print":
      case "printf":
        return this.#print();
      case "break":
      case "continue":
      case "next":
      case "nextfile":
        this.take();
        return { type: kind };
      case "exit":
      case "return":
        this.take();
        return { type: kind, value: /^(?:newline|[;}])$/.test(this.kind()) ? null : this.expression() };
      case "delete":
        return this.#delete();
      default:
        return { type: "expression", expression: this.expression() };
    }
  }

  #delete(): Statement {
    this.take();
    const isGrouped = this.takeIf("(");
    const found = this.array();
    if (isGrouped) this.expect(")");
    if (found.type === "name") return { type: "delete", array: found, keys: null };
    return { type: "delete", array: found.array, keys: found.keys };
  }

  #print(): Print {
    const isFormatted = this.take().kind === "printf";
    const list = this.printed(() => {
      const found: Expression[] = [];
      if (/^(?:newline|[;}>|]|>>|\|&)$/.test(this.kind())) return found;
      do {
        this.skip("newline");
        found.push(this.expression());
      } while (this.takeIf(","));
      return found;
    });
    const [only] = list;
    const args = list.length === 1 && only?.type === "group" ? only.list : list;
    if (isFormatted && args.length === 0) return this.fail();
    if (!/^(?:>|>>|\||\|&)$/.test(this.kind())) return { type: "print", isFormatted, args };
    const operator = this.take().kind;
    const name = this.printed(() => this.concatenation());
    return { type: "print", isFormatted, args, to: { operator, name } };
  }
}
