/**
 * Builds the tools under wasm/examples the way anyone builds one (docs/extending-tools.md): TypeScript,
 * bundled, becomes a component of the world in wasm/extension; the component and its tool.json, with the
 * component's hash, go to build/tools/<name>/. Runs in `postinstall`; what has not changed is left alone.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";

const here = import.meta.dirname;

/** A directory of extensions, as the program loads them. */
export const EXAMPLE_TOOLS = join(here, "..", "build", "tools");

const EXAMPLES = [
  { name: "chart", world: "isolated-component" },
  { name: "csv_query", world: "component" },
];
type Example = (typeof EXAMPLES)[number];

/** The packages whose versions shape a component. */
const TOOLS = ["@bytecodealliance/jco", "componentize-qjs", "esbuild"];

function sourceHash(name: string): string {
  const files = [
    join(here, "build-examples.ts"),
    ...globSync(join(here, "extension", "*.wit")),
    ...globSync(join(here, "examples", "*.ts")),
    ...globSync(join(here, "examples", name, "*")),
    ...TOOLS.map((tool) => join(here, "..", "node_modules", tool, "package.json")),
  ];
  const hash = createHash("sha256");
  for (const file of files.sort()) hash.update(file.slice(here.length)).update(readFileSync(file));
  return hash.digest("hex");
}

async function isCurrent(name: string, sources: string): Promise<boolean> {
  const stamp = join(EXAMPLE_TOOLS, name, "build.json");
  return existsSync(stamp) && JSON.parse(await readFile(stamp, "utf8")).sources === sources;
}

async function buildExample({ name, world }: Example, sources: string): Promise<void> {
  const target = join(EXAMPLE_TOOLS, name);
  const work = join(EXAMPLE_TOOLS, `.${name}.${process.pid}`);
  await mkdir(work, { recursive: true });
  try {
    const component = join(work, "component.wasm");
    await componentize({ name, world }, component);
    const manifest = JSON.parse(await readFile(join(here, "examples", name, "tool.json"), "utf8"));
    const sha256 = createHash("sha256")
      .update(await readFile(component))
      .digest("hex");
    await writeFile(join(work, "tool.json"), `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`);
    await writeFile(join(work, "build.json"), `${JSON.stringify({ sources })}\n`);
    await rm(target, { recursive: true, force: true, maxRetries: 5 });
    await rename(work, target).catch(async (error: unknown) => {
      if (!(await isCurrent(name, sources))) throw error; // another build may have been first
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function componentize({ name, world }: Example, component: string): Promise<void> {
  const script = `${component}.js`;
  await build({
    entryPoints: [join(here, "examples", name, "main.ts")],
    outfile: script,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    external: ["deckhand:*"],
    logLevel: "silent",
  });
  const jco = fileURLToPath(new URL("jco.js", import.meta.resolve("@bytecodealliance/jco")));
  const flags = ["--backend", "qjs", "--backend-qjs-disable-async", "--backend-qjs-stub-wasi"];
  const args = [jco, "componentize", script, "-w", join(here, "extension"), "-n", world, ...flags, "-o", component];
  await promisify(execFile)(process.execPath, args);
  await rm(script);
}

/** Builds what is not current; resolves with the names of what was built. */
export async function buildExamples(): Promise<string[]> {
  const built = await Promise.all(
    EXAMPLES.map(async (example) => {
      const sources = sourceHash(example.name);
      if (await isCurrent(example.name, sources)) return [];
      await buildExample(example, sources);
      return [example.name];
    }),
  );
  return built.flat();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const built = await buildExamples();
  console.log(built.length === 0 ? "example tools: up to date" : `example tools: built ${built.join(", ")}`);
}
