/**
 * Builds the WebAssembly guests: each folder under wasm/guests becomes a component (QuickJS and the bundled TypeScript)
 * with its JavaScript bindings in build/wasm/<guest>/. Guests whose sources and tools are unchanged are skipped.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { transpile } from "@bytecodealliance/jco";
import { IMAGE_FILE } from "../src/tools/wasm/child/memory-image.ts";
import { removeUnfinished, replaceFolder } from "./build-folder.ts";
import { buildComponent, type ComponentSource } from "./component.ts";
import { separateMemory } from "./separate-memory.ts";
import { REPAIRED_SHELL } from "./shell-repairs/plugin.ts";

const here = dirname(fileURLToPath(import.meta.url));
const outDir = join(here, "..", "build", "wasm");

interface Guest {
  readonly name: string;
  /** The WIT world, which limits what the guest can import and therefore do. */
  readonly world: string;
  /** The imports that the built component must have. */
  readonly imports: readonly string[];
  /** URLs of files that run before all others and provide what the guest's code expects but QuickJS lacks. */
  readonly surroundings?: readonly string[];
}

const PROGRAM_IMPORTS = ["deckhand:sandbox/clock", "deckhand:sandbox/filesystem"];
const SURROUNDINGS = [
  import.meta.resolve("./guests/runtime/clock.ts"),
  import.meta.resolve("./guests/runtime/timers.ts"),
  import.meta.resolve("./guests/runtime/text-encoding.ts"),
];

const GUESTS: readonly Guest[] = [
  { name: "files", world: "files", imports: ["deckhand:sandbox/workspace"] },
  {
    name: "js",
    world: "online-programs",
    imports: [...PROGRAM_IMPORTS, "deckhand:sandbox/console", "deckhand:sandbox/http"],
    surroundings: SURROUNDINGS,
  },
  {
    name: "bash",
    world: "programs",
    imports: PROGRAM_IMPORTS,
    surroundings: [
      ...SURROUNDINGS,
      import.meta.resolve("./guests/runtime/abort.ts"),
      import.meta.resolve("./guests/runtime/crypto.ts"),
      import.meta.resolve("./guests/bash/buffer.ts"),
    ],
  },
  { name: "page", world: "program", imports: [] },
  {
    name: "documents",
    world: "timed-programs",
    imports: ["deckhand:sandbox/clock"],
    surroundings: [
      ...SURROUNDINGS,
      import.meta.resolve("./guests/runtime/abort.ts"),
      import.meta.resolve("./guests/documents/pdf/web-platform.ts"),
    ],
  },
];

/** Packages whose versions affect a component. */
const TOOLS = [
  "@bytecodealliance/jco",
  "@mdream/js",
  "acorn",
  "componentize-qjs",
  "esbuild",
  "fflate",
  "just-bash",
  "picomatch",
  "diff",
  "unpdf",
];

/** Modules that are replaced inside a guest: the host does the work of Node's, and unavailable ones are stubs. */
const REPLACED: Readonly<Record<string, string>> = {
  "node:zlib": import.meta.resolve("./guests/bash/zlib.ts"),
  turndown: import.meta.resolve("./guests/bash/absent.ts"),
};

function sourceHash(guest: Guest): string {
  const files = [
    join(here, "build.ts"),
    join(here, "component.ts"),
    join(here, "separate-memory.ts"),
    ...globSync(join(here, "shell-repairs", "*.ts")),
    ...globSync(join(here, "wit", "*.wit")),
    ...globSync(join(here, "guests", "*.ts")),
    ...globSync(join(here, "guests", "runtime", "*.ts")),
    ...globSync(join(here, "guests", guest.name, "**", "*.ts")),
    ...globSync(join(here, "guests", "files", "*.ts")),
    ...TOOLS.map((tool) => join(here, "..", "node_modules", tool, "package.json")),
  ];
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(file.slice(here.length)).update(readFileSync(file));
  return hash.digest("hex");
}

async function isCurrent(guest: Guest, hash: string): Promise<boolean> {
  const stamp = join(outDir, guest.name, "build.json");
  if (!existsSync(stamp)) return false;
  const { sources } = JSON.parse(await readFile(stamp, "utf8"));
  return sources === hash;
}

function sourceOf(guest: Guest): ComponentSource {
  return {
    name: guest.name,
    entry: join(here, "guests", guest.name, "main.ts"),
    wit: join(here, "wit"),
    world: guest.world,
    isAsync: guest.world.endsWith("programs"),
    bundling: {
      mainFields: ["module", "main"],
      alias: Object.fromEntries(Object.entries(REPLACED).map(([name, url]) => [name, fileURLToPath(url)])),
      inject: (guest.surroundings ?? []).map((url) => fileURLToPath(url)),
      plugins: [REPAIRED_SHELL],
    },
  };
}

/** Sources of the guests. */
export function guestSources(): ComponentSource[] {
  return GUESTS.map(sourceOf);
}

async function buildInto(folder: string, guest: Guest, hash: string): Promise<void> {
  const { bundle, component } = await buildComponent(sourceOf(guest), folder);
  const { files, imports } = await transpile(await readFile(component), { name: "guest", instantiation: "async" });
  const unexpected = imports.filter((name) => !guest.imports.some((allowed) => allowed === name));
  if (unexpected.length > 0) throw new Error(`the component imports ${unexpected.join(", ")}`);
  for (const [name, bytes] of Object.entries(withoutMemory(files))) {
    if (name.endsWith(".d.ts")) continue;
    await writeFile(join(folder, name), name === "guest.js" ? adapted(bytes) : bytes);
  }
  await rm(bundle);
  await rm(component);
  await writeFile(join(folder, "package.json"), '{"type":"module"}\n');
  await writeFile(join(folder, "build.json"), `${JSON.stringify({ sources: hash, imports }, null, 2)}\n`);
}

/** Moves the initial memory of the engine to a file of its own (src/tools/wasm/child/memory-image.ts). */
function withoutMemory(files: Readonly<Record<string, Uint8Array>>): Readonly<Record<string, Uint8Array>> {
  const modules = Object.entries(files).filter(([name]) => name.endsWith(".wasm"));
  const [found, ...others] = modules.flatMap(([name, bytes]) => {
    const separated = separateMemory(bytes);
    return separated === null ? [] : [{ name, ...separated }];
  });
  if (found === undefined || others.length > 0) throw new Error("not one module has a memory with something in it");
  return { ...files, [found.name]: found.module, [IMAGE_FILE]: found.image };
}

/** Replacements in jco's bindings. */
const ADAPTED: readonly (readonly [theirs: string, ours: string])[] = [
  // The original decoder drops a leading U+FEFF of a guest's string, so writing would lose a file's byte order mark.
  ["TEXT_DECODER_UTF8 = new TextDecoder();", 'TEXT_DECODER_UTF8 = new TextDecoder("utf-8", { ignoreBOM: true });'],
  // Each host call makes this check a dozen times, which takes a tenth of a busy shell's time.
  ["if (!globalThis?.process?.env?.JCO_DEBUG) { return; }", "return;"],
];

function adapted(bindings: Uint8Array): string {
  let source = Buffer.from(bindings).toString("utf8");
  for (const [theirs, ours] of ADAPTED) {
    if (!source.includes(theirs)) throw new Error(`jco's bindings have changed: look for ${theirs}`);
    source = source.replace(theirs, ours);
  }
  return source;
}

function explain(error: unknown): string {
  const stderr = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
  return stderr || (error instanceof Error ? error.message : String(error));
}

/** Builds what is out of date; resolves with the names of the guests that were built. */
export async function buildGuests(): Promise<string[]> {
  await removeUnfinished(outDir);
  const built = await Promise.all(
    GUESTS.map(async (guest) => {
      const hash = sourceHash(guest);
      if (await isCurrent(guest, hash)) return [];
      await replaceFolder(join(outDir, guest.name), {
        fill: (folder) => buildInto(folder, guest, hash),
        isCurrent: () => isCurrent(guest, hash),
      });
      return [guest.name];
    }),
  );
  return built.flat();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const started = performance.now();
  try {
    const built = await buildGuests();
    const took = `${((performance.now() - started) / 1000).toFixed(1)} s`;
    console.log(built.length === 0 ? "wasm guests: up to date" : `wasm guests: built ${built.join(", ")} in ${took}`);
  } catch (error) {
    console.error(`wasm guests: ${explain(error)}`);
    process.exitCode = 1;
  }
}
