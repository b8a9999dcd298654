/**
 * Builds the tools under wasm/examples as any author does (docs/extending-tools.md): bundled TypeScript becomes a
 * component of the world in wasm/extension. The component and its tool.json, with the component's hash, go to
 * build/tools/<name>/. Unchanged tools are skipped.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { removeUnfinished, replaceFolder } from "./build-folder.ts";
import { buildComponent, type ComponentSource } from "./component.ts";

const here = import.meta.dirname;

/** The directory of built extensions, in the layout that the program loads. */
export const EXAMPLE_TOOLS = join(here, "..", "build", "tools");

/** `shares` is a folder of the program whose code the tool also uses. */
const EXAMPLES = [
  { name: "chart", world: "isolated-component", shares: "src/features/usage/chart" },
  { name: "csv_query", world: "component", shares: null },
];
type Example = (typeof EXAMPLES)[number];

/** Packages whose versions affect a component. */
const TOOLS = ["@bytecodealliance/jco", "componentize-qjs", "esbuild", "fflate"];

function sourceHash({ name, shares }: Example): string {
  const files = [
    join(here, "build-examples.ts"),
    join(here, "component.ts"),
    ...globSync(join(here, "extension", "*.wit")),
    ...globSync(join(here, "examples", "*.ts")),
    ...globSync(join(here, "examples", name, "*")),
    ...(shares === null ? [] : globSync(join(here, "..", shares, "*"))),
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

function sourceOf({ name, world }: Example): ComponentSource {
  const entry = join(here, "examples", name, "main.ts");
  return { name, entry, wit: join(here, "extension"), world, isAsync: false };
}

/** Sources of the examples. */
export function exampleSources(): ComponentSource[] {
  return EXAMPLES.map(sourceOf);
}

async function buildInto(folder: string, example: Example, sources: string): Promise<void> {
  const { bundle, component } = await buildComponent(sourceOf(example), folder);
  await rm(bundle);
  const manifest = JSON.parse(await readFile(join(here, "examples", example.name, "tool.json"), "utf8"));
  const sha256 = createHash("sha256")
    .update(await readFile(component))
    .digest("hex");
  await writeFile(join(folder, "tool.json"), `${JSON.stringify({ ...manifest, sha256 }, null, 2)}\n`);
  await writeFile(join(folder, "build.json"), `${JSON.stringify({ sources })}\n`);
}

/** Builds what is out of date; resolves with the names of what was built. */
export async function buildExamples(): Promise<string[]> {
  await removeUnfinished(EXAMPLE_TOOLS);
  const built = await Promise.all(
    EXAMPLES.map(async (example) => {
      const sources = sourceHash(example);
      if (await isCurrent(example.name, sources)) return [];
      await replaceFolder(join(EXAMPLE_TOOLS, example.name), {
        fill: (folder) => buildInto(folder, example, sources),
        isCurrent: () => isCurrent(example.name, sources),
      });
      return [example.name];
    }),
  );
  return built.flat();
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const built = await buildExamples();
  console.log(built.length === 0 ? "example tools: up to date" : `example tools: built ${built.join(", ")}`);
}
