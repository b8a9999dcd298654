import { given } from "./values.ts";

/** What runs a program of just-bash's awk. */
interface Interpreter {
  program: { readonly rules: readonly object[] };
  executeBegin(): Promise<void>;
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=([^]*)$/;

export function readsFiles(operands: readonly string[]): boolean {
  return operands.some((operand) => !ASSIGNMENT.test(operand));
}

/** Whether an operand is no file but sets a variable, as it does then. */
export async function assigned(interpreter: Interpreter, operand: string): Promise<boolean> {
  const [, name, text = ""] = ASSIGNMENT.exec(operand) ?? [];
  if (name === undefined) return false;
  const value = { type: "string", value: given(text.replace(/\\t/g, "\t").replace(/\\n/g, "\n")) };
  const expression = { type: "assignment", operator: "=", target: { type: "variable", name }, value };
  const rule = { pattern: { type: "begin" }, action: { statements: [{ type: "expr_stmt", expression }] } };
  const { program } = interpreter;
  interpreter.program = { ...program, rules: [rule] };
  await interpreter.executeBegin();
  interpreter.program = program;
  return true;
}
