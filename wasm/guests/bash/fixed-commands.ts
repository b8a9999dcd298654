/** The words of a command as written; null for words that are known only at run time. */
export interface FixedCommand {
  readonly words: readonly (string | null)[];
  readonly redirections: readonly Redirection[];
}

export interface Redirection {
  readonly operator: string;
  /** A path, or the text of a here-document or here-string; null if known only at run time. */
  readonly target: string | null;
}

interface Node {
  readonly type: string;
  readonly [property: string]: unknown;
}

/** Matches a command substitution in text that the parser leaves unparsed: subscripts, bounds and names. */
const UNPARSED = /\$\((?!\()|`/;

/** The parts of a script that can be known without running it. */
export interface ScriptParts {
  /** All simple commands, including nested ones. */
  readonly commands: readonly FixedCommand[];
  /** The names of its functions. */
  readonly functions: readonly string[];
  /** Whether the script takes in text known only at run time: from commands, file names or input. */
  readonly takesTexts: boolean;
  /** Whether a variable's text may run as a command, as `a[$(rm x)]` does where a number is expected. */
  readonly evaluates: boolean;
}

const READING = new Set(["read", "mapfile", "readarray", "select"]);
const TAKING = new Set(["CommandSubstitution", "ProcessSubstitution", "Glob"]);

export function commandsOf(script: object): ScriptParts {
  const commands: FixedCommand[] = [];
  const functions: string[] = [];
  let takesTexts = false;
  let evaluates = false;
  const open: unknown[] = [script];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node === "string") takesTexts ||= UNPARSED.test(node);
    if (typeof node !== "object" || node === null) continue;
    if (isNode(node)) {
      if (node.type === "SimpleCommand") commands.push(commandOf(node));
      if (node.type === "FunctionDef") functions.push(String(node["name"]));
      takesTexts ||= TAKING.has(node.type);
      evaluates ||= isEvaluating(node);
    }
    for (const value of Object.values(node)) open.push(value);
  }
  takesTexts ||= commands.some(({ words }) => READING.has(words[0] ?? ""));
  evaluates ||= commands.some(isEvaluatingCommand);
  return { commands, functions, takesTexts, evaluates };
}

function isEvaluating({ type, ...node }: Node): boolean {
  switch (type) {
    case "ArithmeticExpression":
      return !isNumeral(node["originalText"]);
    case "CondBinary":
    case "CondUnary":
      return /^-(?:eq|ne|lt|le|gt|ge|v|R)$/.test(String(node["operator"]));
    case "Indirection":
      return true;
    case "ParameterExpansion":
      return String(node["parameter"]).includes("[");
    case "Assignment":
      return String(node["name"]).includes("[");
    default:
      return false;
  }
}

function isNumeral(text: unknown): boolean {
  return typeof text === "string" && !/[A-Za-z_$]/.test(text);
}

/** Whether a command is a builtin that evaluates its arguments as numbers or as names with subscripts. */
function isEvaluatingCommand({ words: [name, ...args] }: FixedCommand): boolean {
  if (name === "let" || name === "unset") return true;
  if (name === "test" || name === "[" || name === "printf") return args.some((arg) => arg?.startsWith("-v"));
  const declares = name === "declare" || name === "typeset" || name === "local" || name === "readonly";
  return declares && args.some((arg) => arg === null || /^[-+]\w*[in]|^\w+\[/.test(arg));
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function commandOf({ name, args, redirections }: Node): FixedCommand {
  const words = [name, ...listOf(args)].filter((word) => word !== null).map(fixedText);
  return { words, redirections: listOf(redirections).flatMap(redirectionOf) };
}

function redirectionOf(node: unknown): Redirection[] {
  if (!isNode(node)) return [];
  const { operator, target } = node;
  const word = isNode(target) && target.type === "HereDoc" ? target["content"] : target;
  return [{ operator: String(operator), target: fixedText(word) }];
}

/** The constant text of a word; null if the word contains a variable, a pattern or a command substitution. */
function fixedText(word: unknown): string | null {
  if (!isNode(word)) return null;
  const parts = listOf(word["parts"]).map((part) => {
    if (!isNode(part)) return null;
    if (part.type === "DoubleQuoted") return fixedText(part);
    return ["Literal", "SingleQuoted", "Escaped"].includes(part.type) ? String(part["value"]) : null;
  });
  return parts.includes(null) ? null : parts.join("");
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
