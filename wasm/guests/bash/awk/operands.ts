import { inputValue } from "./values.ts";

/** The parts of just-bash's awk interpreter that are needed here. */
interface Interpreter {
  program: { readonly rules: readonly Rule[] };
  readonly ctx: { ARGIND?: number; readonly shouldExit: boolean };
  executeBegin(): Promise<void>;
}

interface Rule {
  readonly pattern?: { readonly type: string; readonly expression?: { readonly type: string; readonly name?: string } };
  readonly action: { readonly statements: readonly object[] };
}

const ASSIGNMENT = /^([A-Za-z_]\w*)=([^]*)$/;

export function hasFileOperand(operands: readonly string[]): boolean {
  return operands.some((operand) => !ASSIGNMENT.test(operand));
}

/** Performs an operand of the form `name=value`; false if the operand is a file. */
export async function performAssignment(interpreter: Interpreter, operand: string): Promise<boolean> {
  interpreter.ctx.ARGIND = (interpreter.ctx.ARGIND ?? 0) + 1;
  const [, name, text = ""] = ASSIGNMENT.exec(operand) ?? [];
  if (name === undefined) return false;
  const value = { type: "string", value: inputValue(text.replace(/\\t/g, "\t").replace(/\\n/g, "\n")) };
  const expression = { type: "assignment", operator: "=", target: { type: "variable", name }, value };
  await run(interpreter, [{ action: { statements: [{ type: "expr_stmt", expression }] } }]);
  return true;
}

/** Runs the BEGINFILE or ENDFILE rules. */
export async function runFileRules(interpreter: Interpreter, name: "BEGINFILE" | "ENDFILE"): Promise<void> {
  const own = interpreter.program.rules.filter(({ pattern }) => pattern?.expression?.name === name);
  if (own.length > 0 && !interpreter.ctx.shouldExit) await run(interpreter, own);
}

async function run(interpreter: Interpreter, rules: readonly Rule[]): Promise<void> {
  const { program } = interpreter;
  interpreter.program = { ...program, rules: rules.map(({ action }) => ({ action, pattern: { type: "begin" } })) };
  await interpreter.executeBegin();
  interpreter.program = program;
}
