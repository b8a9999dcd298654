/** Words that begin a line of JavaScript and none of shell. */
const JS_BEGINNING =
  /^(?:let|const|var|function|return|throw|new|await|async|class|typeof|import|export|[A-Z]|[\d"'`[({!+-]|(?:for|if|while|switch)\s*\()/;
/** What JavaScript writes after a name, and shell does not: a call, an index, an arrow, an operator between spaces. */
const JS_SIGNS = /^[\w.$]+(?:\[|;$|\s*(?:\(|=>|\?\.|[-+*/%]\s|[=!<>]==?\s|=\s))/;
/** A command's name, alone or before what it is given. */
const COMMAND = /^(?:[A-Z_]+=\S*\s+)*[a-z_./~][\w./+-]*(?:\s|$|[|&;<>])/;

/** Whether a program is a line of shell rather than JavaScript, by its shape alone. */
export function isShell(program: string): boolean {
  const text = program.trim();
  return COMMAND.test(text) && !JS_BEGINNING.test(text.replace(/^(?:[A-Z_]+=\S*\s+)+/, "")) && !JS_SIGNS.test(text);
}
