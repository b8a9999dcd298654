import { globSync, readFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { build, type OnLoadResult, type Plugin } from "esbuild";
import { BUILT_PROGRAM } from "../../src/launch/steps.mjs";
import { removeUnfinished, replaceFolder } from "../../wasm/build-folder.ts";

/**
 * Bundles the program with the packages it uses, so that a start reads a few files in place of 1,500,
 * strips no types and holds a third of the source text in memory. What loads on demand stays apart.
 */

const ROOT = path.resolve(import.meta.dirname, "../..");
const PROGRAM = path.join(ROOT, BUILT_PROGRAM);

/** Native code and files that are found beside it; what is optional and not installed. */
const EXTERNAL = ["better-sqlite3", "bree", "bufferutil", "pg-native", "utf-8-validate", "zlib-sync"];

/** Scripts that other threads and processes run, as the source names them. */
const OWN_SCRIPT = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

async function buildInto(work: string): Promise<void> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: { main: "src/main.ts", ...ownScripts() },
    outdir: work,
    bundle: true,
    splitting: true,
    minifyWhitespace: true,
    minifySyntax: true, // and not of names: traces tell them, and to set them at each start takes a tenth of it
    legalComments: "none",
    sourcemap: "linked",
    sourcesContent: false,
    format: "esm",
    platform: "node",
    target: "node24",
    external: EXTERNAL,
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
    plugins: [placesOfSources, packagesOnDemand, queryCompilers(work), neverUsed],
    logLevel: "warning",
  });
}

function ownScripts(): Record<string, string> {
  const scripts = globSync("src/**/*.ts", { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), "utf8").matchAll(OWN_SCRIPT)].map(([, name = ""]) =>
      path.join(path.dirname(file), name),
    ),
  );
  return Object.fromEntries(scripts.map((file) => [outputName(path.join(ROOT, file)), file]));
}

/** The outputs lie in one directory. */
function outputName(source: string): string {
  return path.relative(path.join(ROOT, "src"), source).replace(/\.ts$/, "").replaceAll(path.sep, "-");
}

/** Our sources find files by their own place. In the bundle that is where the source lies, not the bundle. */
const placesOfSources: Plugin = {
  name: "places of sources",
  setup(program) {
    program.onLoad({ filter: /\.ts$/ }, async ({ path: file }): Promise<OnLoadResult | undefined> => {
      if (!file.startsWith(path.join(ROOT, "src"))) return undefined;
      const source = await readFile(file, "utf8");
      const contents = source
        .replace(OWN_SCRIPT, (_, name: string) => {
          const output = outputName(path.resolve(path.dirname(file), name));
          return `new URL("./${output}.js", import.meta["url"])`;
        })
        .replaceAll("import.meta.dirname", `(import.meta["dirname"] + "/${fromProgram(path.dirname(file))}")`)
        .replaceAll("import.meta.url", `new URL("${fromProgram(file)}", import.meta["url"])`);
      return { loader: "ts", contents };
    });
  },
};

function fromProgram(to: string): string {
  return path.relative(PROGRAM, to).replaceAll(path.sep, "/");
}

/** A package that is imported on demand keeps the names Node finds in it, also where it is CommonJS. */
const packagesOnDemand: Plugin = {
  name: "packages on demand",
  setup(program) {
    program.onResolve({ filter: /^[^./]/ }, ({ path: name, kind, importer, resolveDir }) => {
      const isOurs = kind === "dynamic-import" && importer.startsWith(path.join(ROOT, "src"));
      if (!isOurs || name.startsWith("node:") || EXTERNAL.includes(name)) return undefined;
      return { path: name, namespace: "on-demand", pluginData: resolveDir };
    });
    program.onLoad({ filter: /.*/, namespace: "on-demand" }, async ({ path: name, pluginData }) => {
      const names = Object.keys(await import(name)).filter((key) => key !== "module.exports");
      const exports = names.map((key) =>
        key === "default" ? "export default all.default;" : `export const ${key} = all.${key};`,
      );
      return { contents: [`import * as all from "${name}";`, ...exports].join("\n"), resolveDir: pluginData };
    });
  },
};

/** Prisma carries its query compilers as text, twice in memory while it runs; here they are files of bytes. */
function queryCompilers(directory: string): Plugin {
  return {
    name: "query compilers",
    setup(program) {
      program.onLoad({ filter: /query_compiler_\w+\.\w+\.wasm-base64\.mjs$/ }, async ({ path: file }) => {
        const name = path.basename(file).replace(".wasm-base64.mjs", ".wasm");
        const [, base64] = /"([\w+/=]{1000,})"/.exec(await readFile(file, "utf8")) ?? [];
        if (base64 === undefined) throw new Error(`${file} holds no text of a module`);
        await writeFile(path.join(directory, name), Buffer.from(base64, "base64"));
        const contents = [
          'import { readFileSync } from "node:fs";',
          `export const wasm = readFileSync(new URL("./${name}", import.meta.url));`,
        ];
        return { contents: contents.join("\n") };
      });
    },
  };
}

/** What packages load with themselves, and this program never uses: Bolt's receiver for Express; zod's messages in forty languages. */
const neverUsed: Plugin = {
  name: "what is never used",
  setup(program) {
    program.onLoad({ filter: /@slack\/bolt\/dist\/receivers\/ExpressReceiver\.js$/ }, () => ({ contents: "" }));
    program.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
  },
};

await removeUnfinished(path.dirname(PROGRAM));
await replaceFolder(PROGRAM, { fill: buildInto, isCurrent: () => false });
