/**
 * Build steps for what the program needs but the repository does not contain. Plain JavaScript, like all of this
 * folder, because every start runs it, and stripping types would cost time and memory.
 */

/** Directory of the bundled program, relative to the project's directory. */
export const BUILT_PROGRAM = "build/program";

/** Name of the file in it that lists the packages outside the bundle. */
export const PACKAGES_OUTSIDE = "packages.json";

const DATABASE_SOURCES = ["prisma/models.prisma", "prisma/sqlite/schema.prisma", "prisma/postgresql/schema.prisma"];

const CLIENTS = ["sqlite", "postgresql"].map((provider) => ({
  name: `database client for ${provider}`,
  tool: "prisma",
  commands: [["scripts/build/database-client.ts", provider]],
  inputs: ["prisma/models.prisma", `prisma/${provider}/schema.prisma`, "scripts/build/database-client.ts"],
  artefact: `prisma/${provider}/generated/client.ts`,
  after: [],
}));

const GUESTS = {
  name: "sandbox guests",
  tool: "@bytecodealliance/jco",
  commands: [["wasm/build.ts"]],
  inputs: [
    "wasm/build.ts",
    "wasm/component.ts",
    "wasm/separate-memory.ts",
    "wasm/shell-repairs",
    "wasm/guests",
    "wasm/wit",
  ],
  artefact: "build/wasm/files/build.json",
  after: [],
};

const GENERATOR = {
  name: "bindings generator for third parties' components",
  tool: "@bytecodealliance/jco",
  commands: [["wasm/build-bindings-generator.ts"]],
  inputs: ["wasm/build-bindings-generator.ts", "wasm/bindings-generator-imports.ts", "src/tools/wasm/wasi"],
  artefact: "build/bindings-generator/build.json",
  after: [],
};

const EXAMPLES = {
  name: "example tools",
  tool: "@bytecodealliance/jco",
  commands: [["wasm/build-examples.ts"]],
  inputs: [
    "wasm/build-examples.ts",
    "wasm/component.ts",
    "wasm/examples",
    "wasm/extension",
    "src/features/usage/chart",
  ],
  artefact: "build/tools/chart/tool.json",
  after: [],
};

const PAGE = {
  name: "web page",
  tool: "esbuild",
  commands: [["scripts/build/page.ts"]],
  inputs: ["scripts/build/page.ts", "src/adapters/web/build-page.ts", "src/adapters/web/page", "src/core/protocol"],
  artefact: "build/web/index.html",
  after: [],
};

const EXAMPLE_BINDINGS = {
  name: "bindings of the example tools",
  tool: "@bytecodealliance/jco",
  commands: [["scripts/build/example-bindings.ts"]],
  inputs: ["scripts/build/example-bindings.ts", "src/features/extensions/bindings.ts"],
  artefact: "build/tool-bindings",
  after: [GENERATOR.name, EXAMPLES.name],
};

/** The only step not needed to run from the sources. */
export const PROGRAM = {
  name: "program",
  tool: "esbuild",
  commands: [["scripts/build/program.ts"], ["scripts/build/compiled-code.ts"], ["scripts/build/started-code.ts"]],
  inputs: [
    "scripts/build/program.ts",
    "scripts/build/compiled-code.ts",
    "scripts/build/started-code.ts",
    "src",
    "wasm/guests/files",
    ...DATABASE_SOURCES,
  ],
  artefact: `${BUILT_PROGRAM}/main.js`,
  after: [...CLIENTS, GUESTS].map(({ name }) => name),
};

export const STEPS = [...CLIENTS, GUESTS, GENERATOR, EXAMPLES, PAGE, EXAMPLE_BINDINGS, PROGRAM];
