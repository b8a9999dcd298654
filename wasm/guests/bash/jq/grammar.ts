import { bind, type Field, fold, namesOf, type Pattern } from "./bindings.ts";
import type { Filter } from "./filters.ts";
import * as filters from "./filters.ts";
import { numberOf } from "./json.ts";
import * as names from "./names.ts";
import { binary, negated } from "./operators.ts";
import { Scope } from "./scope.ts";
import { ProgramError, Tokens } from "./tokens.ts";
import type { Json } from "./values.ts";

/** Creates the filter of a call; null for unknown functions. */
export type Functions = (name: string, args: readonly Filter[]) => Filter | null;

/** What is written around a value that stands in a text, such as `@uri`; null for a format that is not there. */
export type Formats = (name: string) => ((value: Json) => string) | null;

export interface Language {
  readonly functions: Functions;
  readonly formats: Formats;
}

const NAME = /^(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*$/;
const KEYWORDS = new Set(
  "def if then elif else end as reduce foreach try catch label import include and or __loc__".split(" "),
);
/** Binary operators by level of precedence, lowest first. */
const LEVELS: readonly (readonly [operators: readonly string[], side: "left" | "right" | "none"])[] = [
  [["//", "?//"], "right"],
  [["=", "|=", "+=", "-=", "*=", "/=", "%=", "//="], "none"],
  [["or"], "left"],
  [["and"], "left"],
  [["==", "!=", "<", "<=", ">", ">="], "none"],
  [["+", "-"], "left"],
  [["*", "/", "%"], "left"],
];
/** Maximum nesting depth of filters. */
const MAX_DEPTH = 500;

export interface Defined {
  readonly name: string;
  readonly params: readonly string[];
  readonly body: Filter;
}

/** Parses a program into a filter. Throws ProgramError. */
export function parse(source: string, language: Language, variables: Iterable<string> = []): Filter {
  const known = Array.from(variables, (name) => `$${name}`);
  return new Parser(source, language, known).program();
}

/** Definitions that stand one behind another, each found by `language` once it is yielded. */
export function* parseDefinitions(source: string, language: Language): Generator<Defined> {
  for (const parser = new Parser(source, language, []); !parser.isAtEnd(); ) yield parser.definition();
}

class Parser {
  readonly #tokens: Tokens;
  readonly #language: Language;
  readonly #scope: Scope;
  #depth = 0;

  constructor(source: string, language: Language, names: readonly string[]) {
    this.#tokens = new Tokens(source);
    this.#language = language;
    this.#scope = new Scope(names);
  }

  program(): Filter {
    if (this.#tokens.token === "") return filters.identity;
    const filter = this.#program();
    if (this.#tokens.token !== "") throw this.#tokens.unexpected();
    return filter;
  }

  /** Definitions alone stand for themselves and `.`. */
  #program(): Filter {
    if (!this.#tokens.is("def")) return this.#pipe();
    return this.#defining(() => (this.isAtEnd() ? filters.identity : this.#program()));
  }

  #defining(parseRest: () => Filter): Filter {
    const { name, params, body } = this.definition();
    return names.define(name, { params, body }, this.#scope.within([name], parseRest));
  }

  isAtEnd(): boolean {
    return this.#tokens.token === "";
  }

  #pipe(): Filter {
    const left = this.#comma();
    return this.#tokens.skip("|") ? filters.pipe(left, this.#pipe()) : left;
  }

  #comma(): Filter {
    let left = this.#binding();
    while (this.#tokens.skip(",")) left = filters.comma(left, this.#binding());
    return left;
  }

  #binding(): Filter {
    const filter = this.#binary(0);
    if (!this.#tokens.is("as")) return filter;
    const patterns = this.#patterns();
    this.#tokens.expect("|");
    const body = this.#scope.within(dollars(patterns), () => this.#pipe());
    return bind({ filter, patterns }, body);
  }

  #binary(level: number): Filter {
    const [operators, side] = LEVELS[level] ?? [];
    if (operators === undefined) return this.#operand();
    let left = this.#binary(level + 1);
    while (operators.includes(this.#tokens.token)) {
      const operator = this.#tokens.take();
      const right = this.#binary(side === "right" ? level : level + 1);
      left = binary(operator, left, right);
      if (side === "none" && operators.includes(this.#tokens.token)) throw this.#tokens.unexpected();
    }
    return left;
  }

  #operand(): Filter {
    if (++this.#depth > MAX_DEPTH) throw new ProgramError("the filter is nested too deeply");
    try {
      return this.#unary();
    } finally {
      this.#depth--;
    }
  }

  #unary(): Filter {
    switch (this.#tokens.token) {
      case "-":
        this.#tokens.take();
        return filters.mapped(this.#unary(), negated);
      case "def":
        return this.#defining(() => this.#pipe());
      case "label": {
        this.#tokens.take();
        const name = this.#variable();
        this.#tokens.expect("|");
        return names.label(
          name,
          this.#scope.within([`*${name}`], () => this.#pipe()),
        );
      }
      default:
        return this.#term();
    }
  }

  definition(): Defined {
    this.#tokens.expect("def");
    const name = this.#tokens.take();
    if (!NAME.test(name)) throw this.#tokens.unexpected();
    const params = this.#tokens.skip("(") ? this.#separated(() => this.#param()) : [];
    const key = `${name}/${params.length}`;
    this.#tokens.expect(":");
    const inner = params.flatMap((param) => (param.startsWith("$") ? [param, `${param.slice(1)}/0`] : [`${param}/0`]));
    const body = this.#scope.within([key, ...inner], () => this.#pipe());
    this.#tokens.expect(";");
    return { name: key, params, body };
  }

  #param(): string {
    if (this.#tokens.token.startsWith("$")) return `$${this.#variable()}`;
    if (!NAME.test(this.#tokens.token)) throw this.#tokens.unexpected();
    return this.#tokens.take();
  }

  #term(): Filter {
    let term = this.#primary();
    for (;;) {
      if (this.#tokens.skip("?")) term = filters.attempt(term, null);
      else if (this.#tokens.token === "[") term = this.#brackets(term);
      else if (this.#tokens.token === "." && this.#tokens.follows(`"[`)) {
        this.#tokens.take();
        term = this.#tokens.is("[") ? this.#brackets(term) : filters.index(term, this.#string(null));
      } else if (/^\.\w/.test(this.#tokens.token))
        term = filters.index(term, filters.constant(this.#tokens.take().slice(1)));
      else return term;
    }
  }

  #brackets(base: Filter): Filter {
    this.#tokens.expect("[");
    if (this.#tokens.skip("]")) return filters.iterate(base);
    const nothing = filters.constant(null);
    const start = this.#tokens.token === ":" ? nothing : this.#pipe();
    if (this.#tokens.skip("]")) return filters.index(base, start);
    this.#tokens.expect(":");
    const end = this.#tokens.token === "]" ? nothing : this.#pipe();
    this.#tokens.expect("]");
    return filters.slice(base, start, end);
  }

  #primary(): Filter {
    const token = this.#tokens.token;
    if (token === '"') return this.#string(null);
    if (/^\.?\d/.test(token)) return filters.constant(numberOf(this.#tokens.take()));
    if (/^\.\w/.test(token)) return filters.index(filters.identity, filters.constant(this.#tokens.take().slice(1)));
    if (token.startsWith("@") && token.length > 1) return this.#format();
    if (token === "$__loc__") {
      const { line } = this.#tokens;
      this.#tokens.take();
      return filters.constant(
        new Map<string, Json>([
          ["file", "<top-level>"],
          ["line", line],
        ]),
      );
    }
    if (token.startsWith("$") && token.length > 1) return names.variable(this.#scope.known(this.#variable(), "$"));
    switch (token) {
      case ".":
        this.#tokens.take();
        if (this.#tokens.token === '"') return filters.index(filters.identity, this.#string(null));
        return filters.identity;
      case "..":
        this.#tokens.take();
        return this.#named("recurse", []);
      case "(":
        this.#tokens.take();
        return this.#closed(this.#pipe(), ")");
      case "[":
        this.#tokens.take();
        return filters.list(this.#tokens.skip("]") ? this.#named("empty", []) : this.#closed(this.#pipe(), "]"));
      case "{":
        this.#tokens.take();
        return filters.object(this.#tokens.skip("}") ? [] : this.#separated(() => this.#entry(), "}", ","));
      case "break":
        this.#tokens.take();
        return names.breakTo(this.#scope.known(this.#variable(), "*"));
      default:
        return this.#worded();
    }
  }

  #worded(): Filter {
    switch (this.#tokens.token) {
      case "if":
        return this.#condition();
      case "try": {
        this.#tokens.take();
        const body = this.#unary();
        return filters.attempt(body, this.#tokens.skip("catch") ? this.#unary() : null);
      }
      case "reduce":
      case "foreach":
        return this.#fold(this.#tokens.take() === "foreach");
      default: {
        if (!NAME.test(this.#tokens.token) || KEYWORDS.has(this.#tokens.token)) throw this.#tokens.unexpected();
        const name = this.#tokens.take();
        return this.#named(name, this.#tokens.skip("(") ? this.#separated(() => this.#pipe()) : []);
      }
    }
  }

  #named(name: string, args: readonly Filter[]): Filter {
    const key = `${name}/${args.length}`;
    if (this.#scope.has(key)) return names.call(key, args);
    const filter = this.#language.functions(key, args);
    if (filter === null) throw new ProgramError(`${key} is not defined`);
    return filter;
  }

  #condition(): Filter {
    this.#tokens.take();
    const cond = this.#pipe();
    this.#tokens.expect("then");
    const then = this.#pipe();
    if (this.#tokens.token === "elif") return filters.condition(cond, then, this.#condition());
    const otherwise = this.#tokens.skip("else") ? this.#pipe() : filters.identity;
    return this.#closed(filters.condition(cond, then, otherwise), "end");
  }

  #fold(extracts: boolean): Filter {
    const filter = this.#binary(0);
    const source = { filter, patterns: this.#patterns() };
    this.#tokens.expect("(");
    const init = this.#pipe();
    this.#tokens.expect(";");
    return this.#scope.within(dollars(source.patterns), () => {
      const update = this.#pipe();
      const extract = extracts && this.#tokens.skip(";") ? this.#pipe() : filters.identity;
      return this.#closed(fold({ source, init, update }, extracts ? extract : null), ")");
    });
  }

  #patterns(): Pattern[] {
    this.#tokens.expect("as");
    const patterns = [this.#pattern()];
    while (this.#tokens.skip("?//")) patterns.push(this.#pattern());
    return patterns;
  }

  #pattern(): Pattern {
    if (this.#tokens.skip("[")) return { items: this.#separated(() => this.#pattern(), "]", ",") };
    if (this.#tokens.skip("{")) return { fields: this.#separated(() => this.#field(), "}", ",") };
    return { name: this.#variable() };
  }

  #field(): Field {
    const name = this.#tokens.token.startsWith("$") ? this.#variable() : null;
    const key = name === null ? this.#key() : filters.constant(name);
    if (name === null) this.#tokens.expect(":");
    return { key, name, pattern: name === null || this.#tokens.skip(":") ? this.#pattern() : null };
  }

  #key(): Filter {
    if (this.#tokens.skip("(")) return this.#closed(this.#pipe(), ")");
    if (this.#tokens.token === '"') return this.#string(null);
    if (this.#tokens.token.startsWith("@")) return this.#format();
    if (!NAME.test(this.#tokens.token)) throw this.#tokens.unexpected();
    return filters.constant(this.#tokens.take());
  }

  #entry(): readonly [Filter, Filter] {
    if (this.#tokens.token === "$__loc__") return [filters.constant("__loc__"), this.#primary()];
    if (this.#tokens.token.startsWith("$")) {
      const name = this.#scope.known(this.#variable(), "$");
      const value = names.variable(name);
      return this.#tokens.skip(":") ? [value, this.#value()] : [filters.constant(name), value];
    }
    const isMade = this.#tokens.token === "(";
    const key = this.#key();
    if (!isMade && this.#tokens.token !== ":") return [key, filters.index(filters.identity, key)];
    this.#tokens.expect(":");
    return [key, this.#value()];
  }

  /** Without commas, which separate entries. */
  #value(): Filter {
    const left = this.#binary(0);
    return this.#tokens.skip("|") ? filters.pipe(left, this.#value()) : left;
  }

  #format(): Filter {
    const name = this.#tokens.take();
    const format = this.#language.formats(name);
    if (format === null) throw new ProgramError(`${name.slice(1)} is not a valid format`);
    if (this.#tokens.token === '"') return this.#string(format);
    return filters.mapped(filters.identity, format);
  }

  /** What stands in `\( )` within it is formatted. */
  #string(format: ((value: Json) => string) | null): Filter {
    const asText = format ?? this.#language.formats("@text") ?? String;
    let filter: Filter | null = null;
    const add = (part: Filter) => {
      filter = filter === null ? part : filters.operation(filter, part, joined);
    };
    for (;;) {
      const { text, isEnd } = this.#tokens.textPart();
      if (isEnd && filter === null) return filters.constant(text);
      add(filters.constant(text));
      if (isEnd) return filter ?? filters.identity;
      add(filters.mapped(this.#pipe(), asText));
      if (this.#tokens.token !== ")") throw this.#tokens.unexpected();
    }
  }

  #variable(): string {
    const name = this.#tokens.token;
    if (!/^\$[A-Za-z_]/.test(name)) throw this.#tokens.unexpected();
    this.#tokens.take();
    return name.slice(1);
  }

  #separated<T>(parse: () => T, end = ")", separator = ";"): T[] {
    const all = [parse()];
    while (this.#tokens.skip(separator)) all.push(parse());
    this.#tokens.expect(end);
    return all;
  }

  #closed(filter: Filter, end: string): Filter {
    this.#tokens.expect(end);
    return filter;
  }
}

function dollars(patterns: readonly Pattern[]): string[] {
  return patterns.flatMap(namesOf).map((name) => `$${name}`);
}

function joined(a: Json, b: Json): Json {
  return typeof a === "string" && typeof b === "string" ? a + b : null;
}
