/** Keywords after which, as after operators, a slash begins a pattern. */
const OPERATORS = new Set("print printf return in getline else do case".split(" "));
const TOKEN = /\s+|#.*|"(?:\\[^]|[^"\\\n])*"|[\w.]+|\+\+|--|\|\||\/=|[^]/y;
const PATTERN = /\/(?:\\[^]|\[\^?\]?[^\]\n]*\]|[^/\\\n[])*\//y;

/** Whether a program of awk may run commands; false positives are possible. */
export function runsCommands(program: string): boolean {
  if (/\bsystem\s*\(/.test(program) || (program.includes("|") && program.includes("getline"))) return true;
  if (!program.includes("|") || !program.includes("print")) return false;
  let before = "";
  for (let at = 0; at < program.length; ) {
    const isPattern = program.charAt(at) === "/" && !/[\w)\]"$]$|\+\+$|--$/.test(OPERATORS.has(before) ? "" : before);
    PATTERN.lastIndex = at;
    TOKEN.lastIndex = at;
    const [token] = (isPattern ? PATTERN.exec(program) : null) ?? TOKEN.exec(program) ?? [];
    if (token === undefined || token === "|") return true;
    if (token.trim() !== "" && !token.startsWith("#")) before = token;
    at += token.length;
  }
  return false;
}
