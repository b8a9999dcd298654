import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";

/** What a component is made of: TypeScript, bundled, and the interface it is to have. */
export interface ComponentSource {
  readonly name: string;
  /** The first file. */
  readonly entry: string;
  /** A folder with WIT files, and the world in them. */
  readonly wit: string;
  readonly world: string;
  /** Whether an export of the world is asynchronous. */
  readonly isAsync: boolean;
  /** What its bundling needs beyond the rest. */
  readonly bundling?: Pick<BuildOptions, "alias" | "inject" | "mainFields" | "plugins">;
}

export interface BuiltComponent {
  /** Both are files. */
  readonly bundle: string;
  readonly component: string;
}

/** Builds both into an existing folder. */
export async function buildComponent(source: ComponentSource, folder: string): Promise<BuiltComponent> {
  const bundle = join(folder, "bundle.js");
  const component = join(folder, "component.wasm");
  await build({
    // Comments name the files from here: elsewhere, and begun elsewhere, the bundle is the same.
    absWorkingDir: join(import.meta.dirname, ".."),
    entryPoints: [source.entry],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    external: ["deckhand:*"],
    // A component keeps three copies of it, and each of its instances begins with them. Names stay: traces tell them.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "silent",
    ...source.bundling,
  });
  await componentize(source, { bundle, component });
  return { bundle, component };
}

/** jco's API has no componentize, so its program is run; it wants absolute paths. */
async function componentize(
  { wit, world, isAsync }: ComponentSource,
  { bundle, component }: BuiltComponent,
): Promise<void> {
  const jco = fileURLToPath(new URL("jco.js", import.meta.resolve("@bytecodealliance/jco")));
  const synchronous = isAsync ? [] : ["--backend-qjs-disable-async"];
  const flags = ["--backend", "qjs", ...synchronous, "--backend-qjs-stub-wasi"];
  const args = [jco, "componentize", bundle, "-w", wit, "-n", world, ...flags, "-o", component];
  await promisify(execFile)(process.execPath, args);
}
