/** Expressions and statements of awk. */

export interface Name {
  readonly type: "name";
  readonly name: string;
}

export interface Element {
  readonly type: "element";
  /** The array, which may be an element of another. */
  readonly array: Name | Element;
  readonly keys: readonly Expression[];
}

export interface Field {
  readonly type: "field";
  readonly index: Expression;
}

export type Target = Name | Element | Field;

export interface Getline {
  readonly type: "getline";
  readonly source: "main" | "file" | "command";
  readonly from?: Expression;
  readonly target?: Target;
}

export interface Call {
  readonly type: "call";
  /** A function of the program or of awk; an expression that evaluates to its name in `@name()`. */
  readonly name: string | Expression;
  readonly args: readonly Expression[];
}

export type Expression =
  | Target
  | Getline
  | Call
  | { readonly type: "number"; readonly value: number }
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "pattern"; readonly source: string }
  | { readonly type: "group"; readonly list: readonly Expression[] }
  | { readonly type: "assign"; readonly operator: string; readonly target: Target; readonly value: Expression }
  | { readonly type: "choice"; readonly condition: Expression; readonly yes: Expression; readonly no: Expression }
  | { readonly type: "binary"; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly type: "unary"; readonly operator: string; readonly operand: Expression }
  | { readonly type: "step"; readonly by: 1 | -1; readonly isPrefix: boolean; readonly target: Target }
  | { readonly type: "in"; readonly keys: readonly Expression[]; readonly array: Name | Element };

export interface Print {
  readonly type: "print";
  readonly isFormatted: boolean;
  readonly args: readonly Expression[];
  readonly to?: { readonly operator: string; readonly name: Expression };
}

export interface Switch {
  readonly type: "switch";
  readonly value: Expression;
  /** A case without a value is the default. */
  readonly cases: readonly { readonly value: Expression | null; readonly body: readonly Statement[] }[];
}

export interface For {
  readonly type: "for";
  readonly start: Statement | null;
  readonly condition: Expression | null;
  readonly step: Statement | null;
  readonly body: Statement;
}

export type Statement =
  | Print
  | Switch
  | For
  | { readonly type: "block"; readonly body: readonly Statement[] }
  | { readonly type: "expression"; readonly expression: Expression }
  | { readonly type: "if"; readonly condition: Expression; readonly yes: Statement; readonly no: Statement | null }
  | { readonly type: "while" | "do"; readonly condition: Expression; readonly body: Statement }
  | { readonly type: "forIn"; readonly target: Name; readonly array: Name | Element; readonly body: Statement }
  | { readonly type: "break" | "continue" | "next" | "nextfile" }
  | { readonly type: "exit" | "return"; readonly value: Expression | null }
  | { readonly type: "delete"; readonly array: Name | Element; readonly keys: readonly Expression[] | null };

export interface Function {
  readonly name: string;
  readonly params: readonly string[];
  readonly body: Statement;
}

export interface Rule {
  readonly when: "BEGIN" | "END" | "BEGINFILE" | "ENDFILE" | "record";
  readonly from: Expression | null;
  /** Where a range ends. */
  readonly to: Expression | null;
  readonly body: Statement;
}

export interface Program {
  readonly functions: ReadonlyMap<string, Function>;
  readonly rules: readonly Rule[];
}

export function isTarget(one: Expression): one is Target {
  return one.type === "name" || one.type === "element" || one.type === "field";
}

/** All parts of an expression or a statement, itself included. */
export function* partsOf(part: object): Generator<Expression | Statement> {
  if (isPart(part)) yield part;
  for (const value of Object.values(part)) if (typeof value === "object" && value !== null) yield* partsOf(value);
}

function isPart(part: object): part is Expression | Statement {
  return "type" in part;
}
