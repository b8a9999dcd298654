import { hash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { systemCode, unlessMissing } from "../../core/protocol/system-code.ts";
import type { Tool } from "../../core/tool.ts";
import type { Sandbox } from "../../tools/wasm/sandbox.ts";
import { type BindingDirectories, bindingsOf } from "./bindings.ts";
import { createExtensionTool, type Extension } from "./extension-tool.ts";
import { type ReadManifest, readManifest } from "./manifest.ts";
import { binaryProblem, mismatch } from "./worlds.ts";

/** Maximum size of a component, in bytes. */
const MAX_COMPONENT = 67_108_864;

export interface ExtensionSources {
  /** Directories with one folder per tool: the application's and the home's, never inside a sandbox root. */
  readonly directories: readonly string[];
  readonly bindings: BindingDirectories;
  readonly sandbox: Sandbox;
  /** Names of native tools, which extensions cannot have. */
  readonly reserved: ReadonlySet<string>;
  /** Called with the names of all candidates before any bindings are made. */
  readonly declared?: (names: readonly string[]) => void;
}

export interface LoadedExtensions {
  readonly tools: readonly Tool[];
  /** One line per refused extension or unreadable directory: its path, and the reason. */
  readonly problems: readonly string[];
}

/** Loads every valid extension; an invalid one does not affect the others. */
export async function loadExtensions({
  directories,
  bindings,
  sandbox,
  reserved,
  declared = () => {},
}: ExtensionSources): Promise<LoadedExtensions> {
  const tools: Tool[] = [];
  const problems: string[] = [];
  const taken = new Set(reserved);
  const folders = (await Promise.all(directories.map((directory) => foldersOf(directory, problems)))).flat();
  const found = await Promise.all(folders.map(async (folder) => ({ folder, ...(await readDeclared(folder)) })));
  declared(found.flatMap((each) => ("manifest" in each ? [each.manifest.name] : [])));
  for (const { folder, ...each } of found) {
    const read = "problem" in each ? each : await readExtension(folder, each, bindings);
    if ("problem" in read) {
      problems.push(`${folder}: ${read.problem}.`);
    } else if (taken.has(read.manifest.name)) {
      problems.push(`${folder}: another tool is already named ${read.manifest.name}.`);
    } else {
      taken.add(read.manifest.name);
      tools.push(createExtensionTool(read, sandbox));
    }
  }
  return { tools, problems };
}

/** Checks the extensions of a directory as far as that needs no bindings. Returns one line per problem. */
export async function extensionProblems(directory: string): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const folder of await foldersOf(directory, problems)) {
    const declared = await readDeclared(folder);
    const problem =
      "problem" in declared ? declared.problem : await componentProblem(folder, declared.manifest).catch(reasonOf);
    if (problem !== null) problems.push(`${folder}: ${problem}.`);
  }
  return problems;
}

/** Folders in a directory, sorted; empty if the directory does not exist. Adds a problem if it cannot be read. */
async function foldersOf(directory: string, problems: string[]): Promise<string[]> {
  try {
    const entries = (await unlessMissing(readdir(directory, { withFileTypes: true }))) ?? [];
    return entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
      .map((entry) => path.join(directory, entry.name))
      .sort();
  } catch (error) {
    problems.push(
      `${directory}: cannot be read (${systemCode(error) ?? "unknown error"}). Give this user permission to read it.`,
    );
    return [];
  }
}

type ReadExtension = Extension | { readonly problem: string };

async function readDeclared(folder: string): Promise<ReadManifest> {
  try {
    return readManifest(await readFile(path.join(folder, "tool.json"), "utf8"));
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

async function readExtension(
  folder: string,
  { manifest, input }: Pick<Extension, "manifest" | "input">,
  place: BindingDirectories,
): Promise<ReadExtension> {
  try {
    const problem = await componentProblem(folder, manifest);
    if (problem !== null) return { problem };
    const file = path.join(folder, manifest.component);
    const made = await bindingsOf({ file, sha256: manifest.sha256 }, place);
    const wrong = mismatch(manifest, made);
    return wrong === null ? { manifest, input, directory: made.directory } : { problem: wrong };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

async function componentProblem(folder: string, { component, sha256 }: Extension["manifest"]): Promise<string | null> {
  const file = path.join(folder, component);
  const { size } = await stat(file);
  if (size > MAX_COMPONENT) return `${component}: the component is larger than ${MAX_COMPONENT} bytes`;
  const bytes = await readFile(file);
  const found = hash("sha256", bytes);
  const wrong = found === sha256 ? binaryProblem(bytes) : `the file's sha256 is ${found}, but tool.json says ${sha256}`;
  return wrong === null ? null : `${component}: ${wrong}`;
}

/** The line of a failed generator's output that states the reason. */
function reasonOf(error: unknown): string {
  const code = systemCode(error);
  if (code !== undefined && error instanceof Error && "path" in error) {
    if (code === "ENOENT") return `${String(error.path)} does not exist`;
    return `${String(error.path)} cannot be read (${code}); give this user permission to read it`;
  }
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  const lines = stderr.split("\n");
  const line =
    lines.find((text) => /^\w*Error\b/.test(text)) ?? lines.find((text) => /error/i.test(text)) ?? lines[0] ?? "";
  if (line !== "") return `bindings for the component cannot be generated: ${line.trim().slice(0, 300)}`;
  return error instanceof Error ? error.message : String(error);
}
