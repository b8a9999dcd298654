interface Result {
  readonly stdout: string;
  readonly stderr: string;
  readonly exitCode: number;
}

const LOOPS = "`for', `while', or `until' loop";

/** The result of `break` and `continue` in a shell without a loop. */
export function outsideLoop(name: "break" | "continue"): Result {
  return { stdout: "", stderr: `bash: ${name}: only meaningful in a ${LOOPS}\n`, exitCode: 0 };
}

const UNARY = /^(?:!|\(|-[a-hknoprstuvwxzGLNORS])$/;
const NUMERIC = /^-(?:eq|ne|lt|le|gt|ge)$/;
const INTEGER = /^\s*[-+]?\d+\s*$/;

/** The complaint of `test` about words that it cannot compare; null if there is none. */
export function testProblem(name: string, words: readonly string[]): Result | null {
  const [first = ""] = words;
  if (words.length === 2 && !UNARY.test(first)) return refused(`${name}: ${first}: unary operator expected`);
  for (const [at, word] of words.slice(0, -1).entries()) {
    if (at === 0 || !NUMERIC.test(word)) continue;
    const wrong = [words[at - 1] ?? "", words[at + 1] ?? ""].find((operand) => !INTEGER.test(operand));
    if (wrong !== undefined) return refused(`${name}: ${wrong}: integer expression expected`);
  }
  return null;
}

function refused(why: string): Result {
  return { stdout: "", stderr: `bash: ${why}\n`, exitCode: 2 };
}
