import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type BuildOptions, build } from "esbuild";

/** Inputs of a component: bundled TypeScript, and the interface it should have. */
export interface ComponentSource {
  readonly name: string;
  /** The entry file of the bundle. */
  readonly entry: string;
  /** A folder with WIT files, and a world defined there. */
  readonly wit: string;
  readonly world: string;
  /** Whether an export of the world is asynchronous. */
  readonly isAsync: boolean;
  /** Additional bundler options. */
  readonly bundling?: Pick<BuildOptions, "alias" | "inject" | "mainFields" | "plugins">;
}

export interface BuiltComponent {
  /** Paths of the two files. */
  readonly bundle: string;
  readonly component: string;
}

/** Builds the bundle and the component into an existing folder. */
export async function buildComponent(source: ComponentSource, folder: string): Promise<BuiltComponent> {
  const bundle = join(folder, "bundle.js");
  const component = join(folder, "component.wasm");
  await build({
    // Comments in the bundle name files relative to this directory, so that the bundle does not depend on where the
    // build runs.
    absWorkingDir: join(import.meta.dirname, ".."),
    entryPoints: [source.entry],
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "neutral",
    target: "es2023",
    external: ["deckhand:*"],
    // A component contains three copies of the bundle, and every instance starts with them. Names are kept for stack
    // traces.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "none",
    logLevel: "silent",
    ...source.bundling,
  });
  await componentize(source, { bundle, component });
  return { bundle, component };
}

/** Runs jco's command, because its API has no componentize; it needs absolute paths. */
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
