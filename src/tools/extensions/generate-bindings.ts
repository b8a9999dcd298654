/**
 * A process that makes a component's bindings with jco's generator. Its arguments are the generator's
 * directory, the component's file, and the directory for the bindings.
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { DefectError } from "../../core/protocol/errors.ts";

const [generatorDir, component, outDir] = process.argv.slice(2);
if (generatorDir === undefined || component === undefined || outDir === undefined) {
  throw new DefectError("the generator's directory, a component and a directory are needed");
}

interface Generated {
  readonly files: readonly (readonly [name: string, content: Uint8Array])[];
  readonly imports: readonly string[];
  readonly exports: readonly (readonly [name: string, kind: string])[];
}

/** As the vendored generator declares it. */
interface Generator {
  readonly $init: Promise<void>;
  generate(component: Uint8Array, options: object): Generated;
}

/** The same that wasm/build.ts uses for our own guests. */
const OPTIONS = { name: "guest", map: [], instantiation: { tag: "async" }, noTypescript: true, base64Cutoff: 0 };

const generator: Generator = await import(pathToFileURL(path.join(generatorDir, "generator.js")).href);
await generator.$init;
const { files, imports, exports } = generator.generate(await readFile(component), OPTIONS);
for (const [name, content] of files) await writeFile(path.join(outDir, name), content);
await writeFile(path.join(outDir, "package.json"), '{"type":"module"}\n');
const interfaces = { imports, exports: exports.map(([name]) => name) };
await writeFile(path.join(outDir, "bindings.json"), `${JSON.stringify(interfaces)}\n`);
