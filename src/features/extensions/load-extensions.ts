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
  /** One line per refused extension: its folder, and the reason. */
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
  const folders = (await Promise.all(directories.map(foldersOf))).flat();
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

/** Folders in a directory, sorted; empty if the directory does not exist. */
async function foldersOf(directory: string): Promise<string[]> {
  const entries = (await unlessMissing(readdir(directory, { withFileTypes: true }))) ?? [];
  return entries
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith("."))
    .map((entry) => path.join(directory, entry.name))
    .sort();
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
    const file = path.join(folder, manifest.component);
    const problem = await componentProblem(file, manifest.sha256);
    if (problem !== null) return { problem: `${manifest.component}: ${problem}` };
    const made = await bindingsOf({ file, sha256: manifest.sha256 }, place);
    const wrong = mismatch(manifest, made);
    return wrong === null ? { manifest, input, directory: made.directory } : { problem: wrong };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

async function componentProblem(file: string, sha256: string): Promise<string | null> {
  const { size } = await stat(file);
  if (size > MAX_COMPONENT) return `the component is larger than ${MAX_COMPONENT} bytes`;
  const bytes = await readFile(file);
  const found = hash("sha256", bytes);
  if (found !== sha256) return `the file's sha256 is ${found}, but tool.json says ${sha256}`;
  return binaryProblem(bytes);
}

/** The line of a failed generator's output that states the reason. */
function reasonOf(error: unknown): string {
  if (systemCode(error) === "ENOENT" && error instanceof Error && "path" in error)
    return `${String(error.path)} does not exist`;
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr) : "";
  const lines = stderr.split("\n");
  const line =
    lines.find((text) => /^\w*Error\b/.test(text)) ?? lines.find((text) => /error/i.test(text)) ?? lines[0] ?? "";
  if (line !== "") return `bindings for the component cannot be generated: ${line.trim().slice(0, 300)}`;
  return error instanceof Error ? error.message : String(error);
}
