import type { ExecResult } from "just-bash/browser";

const LOOPS = "`for', `while', or `until' loop";

/** The result of `break` and `continue` in a shell without a loop. */
export function notInLoop(name: "break" | "continue"): ExecResult {
  return { stdout: "", stderr: `bash: ${name}: only meaningful in a ${LOOPS}\n`, exitCode: 0 };
}

const UNARY = /^(?:!|\(|-[a-hknoprstuvwxzGLNORS])$/;
const NUMERIC = /^-(?:eq|ne|lt|le|gt|ge)$/;
const BINARY = /^(?:=|==|!=|<|>|-(?:eq|ne|lt|le|gt|ge|nt|ot|ef))$/;
const INTEGER = /^\s*[-+]?\d+\s*$/;

/** The complaint of `test` about words that it cannot compare; null if there is none. */
export function testProblem(name: string, words: readonly string[]): ExecResult | null {
  const [first = ""] = words;
  if (words.length === 2 && !UNARY.test(first)) return refused(`${name}: ${first}: unary operator expected`);
  for (let at = 0; at < words.length; at++) {
    const [left = "", operator = "", right, joint = ""] = words.slice(at, at + 4);
    const isPrefix = /^[!(]$/.test(left) && words.length > 3;
    if (right === undefined || isPrefix || !BINARY.test(operator)) continue;
    const wrong = [left, right].find((operand) => NUMERIC.test(operator) && !INTEGER.test(operand));
    if (wrong !== undefined) return refused(`${name}: ${wrong}: integer expression expected`);
    // The operands may look like operators themselves.
    at += /^-[ao]$/.test(joint) ? 3 : 2;
  }
  return null;
}

function refused(why: string): ExecResult {
  return { stdout: "", stderr: `bash: ${why}\n`, exitCode: 2 };
}
