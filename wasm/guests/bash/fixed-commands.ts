/** A command's words as they stand; null where they are known only when it runs. */
export interface FixedCommand {
  readonly words: readonly (string | null)[];
  readonly redirections: readonly Redirection[];
}

export interface Redirection {
  readonly operator: string;
  /** A path; what a here-document or a here-string says. */
  readonly target: string | null;
}

interface Node {
  readonly type: string;
  readonly [property: string]: unknown;
}

/** All simple commands of a script, also those within others, and the names of its functions. */
export function commandsOf(script: object): { readonly commands: FixedCommand[]; readonly functions: string[] } {
  const commands: FixedCommand[] = [];
  const functions: string[] = [];
  const open: unknown[] = [script];
  while (open.length > 0) {
    const node = open.pop();
    if (typeof node !== "object" || node === null) continue;
    if (isNode(node)) {
      if (node.type === "SimpleCommand") commands.push(commandOf(node));
      if (node.type === "FunctionDef") functions.push(String(node["name"]));
    }
    open.push(...Object.values(node));
  }
  return { commands, functions };
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

/** What a word says each time; null where it holds a variable, a pattern or another command. */
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
