import { globSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import path from "node:path";
import { type BuildOptions, build, type Metafile, type OnLoadResult, type Plugin } from "esbuild";
import { z } from "zod";
import { START } from "../../src/launch/compiled-start.mjs";
import { BUILT_PROGRAM, PACKAGES_OUTSIDE } from "../../src/launch/steps.mjs";
import { removeUnfinished, replaceFolder } from "../../wasm/build-folder.ts";

/**
 * Bundles the program with its packages, so that a start reads a few files instead of 1,500, strips no types and holds
 * a third of the source text in memory. Modules loaded on demand stay separate.
 * Also bundles the program as a single script, because only a script can carry the code that V8 compiles while it runs
 * (started-code.ts).
 */

const ROOT = path.resolve(import.meta.dirname, "../..");
const PROGRAM = path.join(ROOT, BUILT_PROGRAM);

/** Loaded by one engine only, and imports optional packages that are not installed. */
const DBOS = ["@dbos-inc/dbos-sdk", "@dbos-inc/dbos-sdk/internal/dbos-executor"];

/** Native code, packages that look for files beside them, and optional packages that are not installed. */
const EXTERNAL = ["better-sqlite3", "bree", "bufferutil", "pg-native", "utf-8-validate", "zlib-sync", ...DBOS];

/** Minimum characters of the files to check; smaller ones do not matter. */
const WIDTH_CHECKED = 64_000;

// The bundler is written in Go, and would take 900 MB, for which a small machine has no room.
process.env["GOMEMLIMIT"] ??= "300MiB";

/** Scripts that other threads and processes run, as the source refers to them. */
const OWN_SCRIPT = /new URL\("(\.[^"]+\.ts)", import\.meta\.url\)/g;

async function buildInto(work: string): Promise<void> {
  const parts = common(work);
  const { metafile } = await build({
    ...parts,
    plugins: [...parts.plugins, onDemand],
    entryPoints: { main: "src/main.ts", ...ownScripts() },
    outdir: work,
    splitting: true,
    sourcemap: "linked",
    sourcesContent: false,
    format: "esm",
    banner: {
      js: 'import { createRequire as requireFrom } from "node:module"; const require = requireFrom(import.meta.url);',
    },
  });
  await build({
    ...parts,
    entryPoints: ["src/run-command-line.ts"],
    outfile: path.join(work, START),
    format: "cjs",
    define: { "import.meta": "placeOfBundle" },
    // A script has no dynamic import without a module loader. What it would load are external packages, which are
    // CommonJS.
    supported: { "dynamic-import": false },
    banner: { js: "(function (module, require, placeOfBundle) {" },
    footer: { js: "})" },
  });
  narrow(path.join(work, START));
  checkWidth(work);
  await writeFile(path.join(work, PACKAGES_OUTSIDE), `${JSON.stringify(packagesOutside(metafile), null, 2)}\n`);
}

function common(work: string) {
  return {
    absWorkingDir: ROOT,
    bundle: true,
    minifyWhitespace: true,
    minifySyntax: true, // but names are kept: traces show them, and restoring them takes a tenth of each start
    legalComments: "none",
    platform: "node",
    target: "node24",
    external: EXTERNAL,
    plugins: [placesOfSources, packagesOnDemand, queryCompilers(work), oneUndici, neverUsed, sparseNumbers],
    logLevel: "warning",
    metafile: true,
  } satisfies BuildOptions & { metafile: true };
}

/** Names of the packages that the bundle loads from their installed location, including optional ones. */
function packagesOutside({ outputs }: Metafile): string[] {
  const modules = Object.values(outputs).flatMap(({ imports }) => imports.filter(({ external }) => external === true));
  const packages = modules.flatMap(({ path: name }) =>
    isBuiltin(name) ? [] : (/^(?:@[^/]+\/)?[^/]+/.exec(name) ?? []),
  );
  return [...new Set(packages)].toSorted();
}

function ownScripts(): Record<string, string> {
  const scripts = globSync("src/**/*.ts", { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(path.join(ROOT, file), "utf8").matchAll(OWN_SCRIPT)].map(([, name = ""]) =>
      path.join(path.dirname(file), name),
    ),
  );
  return Object.fromEntries(scripts.map((file) => [outputName(path.join(ROOT, file)), file]));
}

/** Flattens a source's path, because all outputs are in one directory. */
function outputName(source: string): string {
  return path.relative(path.join(ROOT, "src"), source).replace(/\.ts$/, "").replaceAll(path.sep, "-");
}

/** Makes sources find files relative to themselves: in the bundle, their place remains that of the source. */
const placesOfSources: Plugin = {
  name: "places of sources",
  setup(program) {
    program.onLoad({ filter: /\.ts$/ }, ({ path: file }): OnLoadResult | undefined => {
      if (!file.startsWith(path.join(ROOT, "src"))) return undefined;
      // Synchronously, because esbuild asks for all files at once, which may be more than the process may open.
      const source = readFileSync(file, "utf8");
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

/** Lets a package imported on demand keep the export names that Node finds in it, even if it is CommonJS. */
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

/**
 * Loads these built-ins like a script does. Imported as modules, they load all their lazy parts at once, as node:http
 * loads all of fetch: 50 ms of processor time instead of five, in every command, in the sandbox child and in each of
 * its threads.
 */
const onDemand: Plugin = {
  name: "what Node has on demand",
  setup(program) {
    program.onResolve({ filter: /^node:(?:http|process|util)$/ }, ({ path: name, kind }) =>
      kind === "import-statement" ? { path: name, namespace: "builtin" } : undefined,
    );
    program.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path: name }) => ({
      contents: `module.exports = process.getBuiltinModule("${name}");`,
    }));
  },
};

/**
 * Escapes the wide characters that the bundler leaves: they occur in regular expressions, where an escape means the
 * same.
 */
function narrow(file: string): void {
  const escaped = (wide: string) => `\\u${wide.charCodeAt(0).toString(16).padStart(4, "0")}`;
  writeFileSync(file, readFileSync(file, "utf8").replace(/[^\0-\xff]/g, escaped), "latin1");
}

/** Rejects files with a character beyond Latin-1, because V8 would hold each of their characters in two bytes. */
function checkWidth(directory: string): void {
  for (const file of globSync("*.js", { cwd: directory })) {
    const text = readFileSync(path.join(directory, file), "utf8");
    const [wide] = text.length < WIDTH_CHECKED ? [] : (/.{0,60}[^\0-\xff]/u.exec(text) ?? []);
    if (wide !== undefined) throw new Error(`${file} takes twice its size in memory; write this as \\u…: ${wide}`);
  }
}

/**
 * Extracts Prisma's query compilers, which are text and twice in memory at run time, into binary files that are read
 * once.
 */
function queryCompilers(directory: string): Plugin {
  return {
    name: "query compilers",
    setup(program) {
      program.onLoad({ filter: /query_compiler_\w+\.\w+\.wasm-base64\.mjs$/ }, async ({ path: file }) => {
        const name = path.basename(file).replace(".wasm-base64.mjs", ".wasm");
        const [, base64] = /"([\w+/=]{1000,})"/.exec(await readFile(file, "utf8")) ?? [];
        if (base64 === undefined) throw new Error(`${file} holds no text of a module`);
        await writeFile(path.join(directory, name), Buffer.from(base64, "base64"));
        return { contents: `export const wasm = new URL("./${name}", import.meta.url);` };
      });
      program.onLoad({ filter: /prisma\/\w+\/generated\/internal\/class\.ts$/ }, async ({ path: file }) => {
        const text = await readFile(file, "utf8");
        const contents = text
          .replace("import('node:buffer')", "import('node:fs')")
          .replace("const { Buffer }", "const { readFileSync }")
          .replace("Buffer.from(wasmBase64, 'base64')", "readFileSync(wasmBase64)");
        if (!contents.includes("readFileSync(wasmBase64)"))
          throw new Error(`${file} reads its query compiler elsewhere`);
        return { contents, loader: "ts" };
      });
    },
  };
}

/** discord.js and its REST client each bring a copy of undici; if the versions are equal, both share one. */
const oneUndici: Plugin = {
  name: "one undici",
  setup(program) {
    const copies = new Map<string, string>();
    program.onResolve({ filter: /^undici$/ }, async ({ path: name, pluginData, ...from }) => {
      if (pluginData === oneUndici) return undefined;
      const found = await program.resolve(name, { ...from, pluginData: oneUndici });
      const { version } = z
        .object({ version: z.string() })
        .parse(JSON.parse(readFileSync(path.join(path.dirname(found.path), "package.json"), "utf8")));
      const kept = copies.get(version) ?? found.path;
      copies.set(version, kept);
      return { ...found, path: kept };
    });
  },
};

/**
 * Removes parts of packages that this program never uses: Bolt's receiver for Express, zod's messages in forty
 * languages, the parser for functions in YAML, which no file may contain, and the encoding tables, since Bolt reads
 * bytes.
 */
const neverUsed: Plugin = {
  name: "what is never used",
  setup(program) {
    program.onLoad({ filter: /@slack\/bolt\/dist\/receivers\/ExpressReceiver\.js$/ }, () => ({ contents: "" }));
    program.onLoad({ filter: /\/zod\/v4\/locales\/index\.js$/ }, () => ({
      contents: 'export { default as en } from "./en.js";',
    }));
    program.onLoad({ filter: /\/iconv-lite\/encodings\/tables\/.*\.json$/ }, () => ({
      contents: "[]",
      loader: "json",
    }));
    program.onLoad({ filter: /\/js-yaml\/type\/js\/function\.js$/ }, async ({ path: file }) => {
      const contents = (await readFile(file, "utf8")).replace("_require('esprima')", "undefined");
      return { contents };
    });
  },
};

/** Where Prisma creates an object with numeric keys for a part of the models. */
const BY_NUMBER = /(?<=let \w+=this\.#\w+\(\),\w+=)\{\}(?=;for\()/g;

/**
 * Saves memory in Prisma's client, which keeps the data of each of six hundred parts of the models in an object keyed
 * by number. V8 represents these as arrays with room for all numbers, six megabytes of gaps; an initial key out of
 * range makes them hash tables.
 */
const sparseNumbers: Plugin = {
  name: "sparse numbers",
  setup(program) {
    program.onLoad({ filter: /@prisma\/client\/runtime\/client\.m?js$/ }, async ({ path: file }) => {
      const source = await readFile(file, "utf8");
      const contents = source.replaceAll(BY_NUMBER, "{4294967294:void 0}");
      if (contents === source) throw new Error(`${file} does not read its models as it did: look at its memory anew`);
      return { contents };
    });
  },
};

await removeUnfinished(path.dirname(PROGRAM));
await replaceFolder(PROGRAM, { fill: buildInto, isCurrent: () => false });
