import * as acorn from "acorn";

/** What a module imports from another one. */
export interface Import {
  readonly specifier: string;
  /** Imported name by local name; `*` for the whole namespace. */
  readonly names: Readonly<Record<string, string>>;
}

export interface Rewritten {
  /** Body of an asynchronous function, with the line numbers of the source. */
  readonly body: string;
  readonly imports: readonly Import[];
  /** Re-exports (`export … from`), with the exported name and its origin. */
  readonly handedOn: readonly { readonly name: string; readonly specifier: string; readonly imported: string }[];
}

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Whether the source can run as a script, because nothing in it needs a module's scope. */
export function isScript(source: string): boolean {
  const script = parsed(source, "script");
  return !(script instanceof SyntaxError) && !someNode(script, isOfModules);
}

/** In a script, `await (x)` is a function call. */
function isOfModules(node: acorn.Node): boolean {
  return node.type === "ImportExpression" || (node.type === "Identifier" && "name" in node && node.name === "await");
}

/**
 * Turns a module into the body of an asynchronous function within a `with` block, because QuickJS has no module loader
 * in a component. Imports are getters of that block, which keeps bindings live; exports are getters that the module
 * passes on before it runs, so that modules may import each other. Names that begin with `$deckhand_` belong to that
 * block (modules.ts). A program's last expression is returned. Throws SyntaxError.
 */
export function rewriteModule(source: string, returnsLast: boolean): Rewritten {
  const program = parsed(source, "module");
  if (program instanceof SyntaxError) throw moreFitting(program, source);
  const module = new ModuleRewriter(source);
  module.hashBang();
  for (const statement of program.body) module.statement(statement);
  module.special(program);
  const last = program.body.at(-1);
  if (returnsLast && last?.type === "ExpressionStatement") module.returns(last.expression);
  return module.result();
}

function parsed(source: string, sourceType: "script" | "module"): acorn.Program | SyntaxError {
  try {
    const allowAwaitOutsideFunction = sourceType === "module";
    return acorn.parse(source, { ecmaVersion: "latest", sourceType, allowAwaitOutsideFunction, allowHashBang: true });
  } catch (error) {
    if (error instanceof SyntaxError) return error;
    throw error;
  }
}

/** For source without any sign of a module, reports the error that it has as a script. */
function moreFitting(error: SyntaxError, source: string): SyntaxError {
  if (/\b(?:import|export|await)\b/.test(source)) return error;
  const asScript = parsed(source, "script");
  return asScript instanceof SyntaxError ? asScript : error;
}

class ModuleRewriter {
  readonly #source: string;
  readonly #edits: Edit[] = [];
  readonly #imports: Import[] = [];
  readonly #handedOn: { name: string; specifier: string; imported: string }[] = [];
  /** Local expressions by exported name. */
  readonly #exports = new Map<string, string>();

  constructor(source: string) {
    this.#source = source;
  }

  hashBang(): void {
    const [line = ""] = /^#!.*/.exec(this.#source) ?? [];
    this.#blank({ start: 0, end: line.length });
  }

  statement(node: acorn.Statement | acorn.ModuleDeclaration): void {
    if (node.type === "ImportDeclaration") this.#import(node);
    else if (node.type === "ExportAllDeclaration") this.#exportAll(node);
    else if (node.type === "ExportDefaultDeclaration") this.#exportDefault(node);
    else if (node.type === "ExportNamedDeclaration") this.#exportNamed(node);
  }

  #import(node: acorn.ImportDeclaration): void {
    const names: Record<string, string> = {};
    for (const part of node.specifiers) {
      if (part.type === "ImportSpecifier") names[part.local.name] = nameOf(part.imported);
      else names[part.local.name] = part.type === "ImportDefaultSpecifier" ? "default" : "*";
    }
    this.#imports.push({ specifier: String(node.source.value), names });
    this.#blank(node);
  }

  #exportAll(node: acorn.ExportAllDeclaration): void {
    const name = node.exported ? nameOf(node.exported) : "*";
    this.#handedOn.push({ name, specifier: String(node.source.value), imported: "*" });
    this.#blank(node);
  }

  #exportDefault({ start, declaration }: acorn.ExportDefaultDeclaration): void {
    const isDeclaration = declaration.type === "FunctionDeclaration" || declaration.type === "ClassDeclaration";
    if (isDeclaration && declaration.id !== null) {
      this.#exports.set("default", declaration.id.name);
      this.#blank({ start, end: declaration.start });
      return;
    }
    this.#exports.set("default", "$deckhand_module.default");
    this.#edits.push({ start, end: declaration.start, text: ";$deckhand_module.default = " });
  }

  #exportNamed(node: acorn.ExportNamedDeclaration): void {
    const { declaration, specifiers, source } = node;
    if (declaration) {
      for (const name of declaredNames(declaration)) this.#exports.set(name, name);
      this.#blank({ start: node.start, end: declaration.start });
      return;
    }
    for (const part of specifiers) {
      const name = nameOf(part.exported);
      if (source) this.#handedOn.push({ name, specifier: String(source.value), imported: nameOf(part.local) });
      else this.#exports.set(name, nameOf(part.local));
    }
    this.#blank(node);
  }

  /** Rewrites `import(…)` and `import.meta` wherever they appear. */
  special(program: acorn.Node): void {
    someNode(program, (node) => {
      if (node.type === "ImportExpression") {
        this.#edits.push({ start: node.start, end: node.start + "import".length, text: "$deckhand_import" });
      }
      if (node.type === "MetaProperty" && this.#source.startsWith("import", node.start)) {
        this.#edits.push({ start: node.start, end: node.end, text: "$deckhand_meta" });
      }
      return false;
    });
  }

  returns({ start, end }: acorn.Node): void {
    this.#edits.push({ start, end: start, text: "return (" }, { start: end, end, text: ")" });
  }

  /** Blanks out code but keeps its line breaks. */
  #blank({ start, end }: { start: number; end: number }): void {
    this.#edits.push({ start, end, text: this.#source.slice(start, end).replace(/[^\n]+/g, " ") });
  }

  result(): Rewritten {
    const getters = [...this.#exports].map(([name, local]) => `${JSON.stringify(name)}: () => ${local}`).join(", ");
    let body = `$deckhand_exports({ ${getters} }); await $deckhand_ready();`;
    let at = 0;
    for (const { start, end, text } of this.#edits.sort((a, b) => a.start - b.start || a.end - b.end)) {
      body += this.#source.slice(at, start) + text;
      at = end;
    }
    return { body: body + this.#source.slice(at), imports: this.#imports, handedOn: this.#handedOn };
  }
}

function nameOf(node: acorn.Identifier | acorn.Literal): string {
  return node.type === "Identifier" ? node.name : String(node.value);
}

function declaredNames(node: acorn.Declaration): string[] {
  if (node.type !== "VariableDeclaration") return [node.id.name];
  return node.declarations.flatMap(({ id }) => patternNames(id));
}

function patternNames(pattern: acorn.Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((part) => patternNames(part.type === "Property" ? part.value : part.argument));
    case "ArrayPattern":
      return pattern.elements.flatMap((part) => (part === null ? [] : patternNames(part)));
    case "RestElement":
      return patternNames(pattern.argument);
    case "AssignmentPattern":
      return patternNames(pattern.left);
    default:
      return [];
  }
}

/** Whether a node or one of its descendants passes. */
function someNode(node: acorn.Node, passes: (node: acorn.Node) => boolean): boolean {
  if (passes(node)) return true;
  return Object.values(node).some((child: unknown) =>
    Array.isArray(child)
      ? child.some((item) => isNode(item) && someNode(item, passes))
      : isNode(child) && someNode(child, passes),
  );
}

function isNode(value: unknown): value is acorn.Node {
  return (
    typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value
  );
}
