/** Beginnings of JavaScript lines that do not occur in shell. */
const JS_BEGINNING =
  /^(?:let|const|var|function|return|throw|new|await|async|class|typeof|import|export|[A-Z]|[\d"'`[({!+-]|(?:for|if|while|switch)\s*\()/;
/** What follows a name in JavaScript, but not in shell: a call, an index, an arrow, or an operator between spaces. */
const JS_SIGNS = /^[\w.$]+(?:\[|;$|\s*(?:\(|=>|\?\.|[-+*/%]\s|[=!<>]==?\s|=\s))/;
/** A command's name, alone or before its arguments. */
const COMMAND = /^(?:[A-Z_]+=\S*\s+)*[a-z_./~][\w./+-]*(?:\s|$|[|&;<>])/;

/** Whether a program is a line of shell rather than JavaScript, judged by its form alone. */
export function isShell(program: string): boolean {
  const text = program.trim();
  return COMMAND.test(text) && !JS_BEGINNING.test(text.replace(/^(?:[A-Z_]+=\S*\s+)+/, "")) && !JS_SIGNS.test(text);
}
