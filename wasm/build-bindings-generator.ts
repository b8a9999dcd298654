/**
 * Builds jco's bindings generator into build/bindings-generator: one script and its modules, with which the program
 * makes the bindings of third-party components (src/features/extensions/bindings.ts) without jco itself.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { copyFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { removeUnfinished, replaceFolder } from "./build-folder.ts";

const here = import.meta.dirname;
const target = join(here, "..", "build", "bindings-generator");
const NAME = "js-component-bindgen-component";

/** The package is an indirect dependency: jco brings it, and may have it nested. */
const jco = createRequire(import.meta.resolve("@bytecodealliance/jco"));
const transpiler = join(jco.resolve("@bytecodealliance/jco-transpile"), "../..");

/** Identity of the generator; bindings are cached under names that contain the version. */
interface Stamp {
  readonly version: string;
  /** A hash of what this repository adds to jco's code. */
  readonly sources: string;
}

/** Builds the generator; false if the existing one already has the installed version and these sources. */
export async function buildBindingsGenerator(): Promise<boolean> {
  const { version } = JSON.parse(readFileSync(join(transpiler, "package.json"), "utf8"));
  const stamp = { version, sources: sourceHash() };
  await removeUnfinished(dirname(target));
  if (isCurrent(stamp)) return false;
  await replaceFolder(target, {
    fill: (folder) => buildInto(folder, stamp),
    isCurrent: () => isCurrent(stamp),
  });
  return true;
}

function sourceHash(): string {
  const own = ["wasm/build-bindings-generator.ts", "wasm/bindings-generator-imports.ts"];
  const hash = createHash("sha256");
  const root = join(here, "..");
  for (const file of [...own, ...globSync("src/tools/wasm/wasi/*.ts", { cwd: root }).sort()]) {
    hash.update(file).update(readFileSync(join(root, file)));
  }
  return hash.digest("hex");
}

async function buildInto(folder: string, stamp: Stamp): Promise<void> {
  await bundle(join(folder, "generator.js"));
  for (const file of globSync(join(transpiler, "vendor", `${NAME}.core*.wasm`))) {
    await copyFile(file, join(folder, basename(file)));
  }
  await writeFile(join(folder, "package.json"), '{"type":"module"}\n');
  await writeFile(join(folder, "build.json"), `${JSON.stringify(stamp)}\n`);
}

function isCurrent({ version, sources }: Stamp): boolean {
  const file = join(target, "build.json");
  if (!existsSync(file)) return false;
  const found = JSON.parse(readFileSync(file, "utf8"));
  return found.version === version && found.sources === sources;
}

async function bundle(outfile: string): Promise<void> {
  const imports = join(here, "bindings-generator-imports.ts");
  const parts = ["cli", "filesystem", "io", "random"];
  await build({
    entryPoints: [join(transpiler, "vendor", `${NAME}.js`)],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node24",
    alias: Object.fromEntries(parts.map((part) => [`@bytecodealliance/preview2-shim/${part}`, imports])),
    logLevel: "silent",
  });
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  console.log((await buildBindingsGenerator()) ? "bindings generator: built" : "bindings generator: up to date");
}
