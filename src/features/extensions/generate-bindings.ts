/**
 * A process that makes a component's bindings with jco's generator. Arguments: the generator's directory, the
 * component's file, its expected sha256, and the output directory.
 */
import { hash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { DefectError, SandboxError } from "../../core/protocol/errors.ts";
import { unsafeName } from "./core-names.ts";

const [generatorDir, component, sha256, outDir] = process.argv.slice(2);
if (generatorDir === undefined || component === undefined || sha256 === undefined || outDir === undefined) {
  throw new DefectError("the generator's directory, a component, its sha256 and a directory are needed");
}

interface Generated {
  readonly files: readonly (readonly [name: string, content: Uint8Array])[];
  readonly imports: readonly string[];
  readonly exports: readonly (readonly [name: string, kind: string])[];
}

/** Type of the vendored generator. */
interface Generator {
  readonly $init: Promise<void>;
  generate(component: Uint8Array, options: object): Generated;
}

/** Same options as for the program's own guests, see wasm/build.ts. */
const OPTIONS = { name: "guest", map: [], instantiation: { tag: "async" }, noTypescript: true, base64Cutoff: 0 };

const generator: Generator = await import(pathToFileURL(path.join(generatorDir, "generator.js")).href);
await generator.$init;
const bytes = await readFile(component);
if (hash("sha256", bytes) !== sha256) {
  throw new SandboxError("sandbox_failed", "the file changed while it was read");
}
const { files, imports, exports } = generator.generate(bytes, OPTIONS);
const modules = files.filter(([name]) => name.endsWith(".wasm")).map(([, content]) => Uint8Array.from(content));
const unsafe = unsafeName(await Promise.all(modules.map((module) => WebAssembly.compile(module))));
if (unsafe !== null) {
  throw new SandboxError("sandbox_failed", `a module's import or export is called ${JSON.stringify(unsafe)}`);
}
for (const [name, content] of files) await writeFile(path.join(outDir, name), content);
await writeFile(path.join(outDir, "package.json"), '{"type":"module"}\n');
const interfaces = { imports, exports: exports.map(([name]) => name) };
await writeFile(path.join(outDir, "bindings.json"), `${JSON.stringify(interfaces)}\n`);
