import { expect, test } from "vitest";
import { boundaryProblems } from "../../scripts/gates/boundaries.ts";
import { projectWith } from "../support/project.ts";

const SOURCES = {
  "src/core/tool.ts": "export interface Tool { name: string }\n",
  "src/core/store/store.ts":
    'import { PrismaClient } from "../../../prisma/sqlite/generated/client.ts";\nPrismaClient;\n',
  "src/adapters/render/splitter.ts": 'import type { Tool } from "../../core/tool.ts";\nexport type T = Tool;\n',
  "src/adapters/slack/adapter.ts": 'import "../render/splitter.ts";\nimport "@slack/bolt";\n',
  "src/adapters/web/page/page.tsx": 'import { render } from "preact";\nrender;\n',
  "src/app.ts":
    'import "./adapters/slack/adapter.ts";\nconst discord = () => import("./adapters/discord/adapter.ts");\ndiscord;\n',
  "src/main.ts": 'import "./app.ts";\n',
  "src/core/reach.ts": "export const reach = { require: () => true };\nreach.require();\n",
};

test("a project that keeps the directions has no problem", () => {
  expect(boundaryProblems(projectWith(SOURCES))).toEqual([]);
});

const violations: { name: string; file: string; line: string; problem: string }[] = [
  {
    name: "core importing an adapter",
    file: "src/core/agent/query.ts",
    line: 'import "../../adapters/slack/adapter.ts";',
    problem: "src/core/agent/query.ts imports src/adapters/slack/adapter.ts: core imports nothing",
  },
  {
    name: "core importing a type of an adapter",
    file: "src/core/agent/query.ts",
    line: 'import type { A } from "../../adapters/slack/adapter.ts"; export type B = A;',
    problem: "core imports nothing",
  },
  {
    name: "core loading a platform's SDK when needed",
    file: "src/core/agent/query.ts",
    line: 'export const load = () => import("discord.js");',
    problem: "src/core/agent/query.ts imports npm:discord.js: core knows no platform",
  },
  {
    name: "core serving HTTP",
    file: "src/core/agent/query.ts",
    line: 'import { createServer } from "node:http"; createServer();',
    problem: "core knows no platform, no scheduler, no HTTP server",
  },
  {
    name: "Prisma outside the store",
    file: "src/core/run/runner.ts",
    line: 'import { PrismaClient } from "../../../prisma/sqlite/generated/client.ts"; PrismaClient;',
    problem: "only src/core/store and the store.ts of a feature",
  },
  {
    name: "the loop knowing the database",
    file: "src/core/agent/query.ts",
    line: 'import type { Store } from "../store/store.ts"; export type S = Store;',
    problem: "the loop knows no database",
  },
  {
    name: "a room of core importing one above it",
    file: "src/core/store/runs.ts",
    line: 'import type { Runner } from "../run/runner.ts"; export type R = Runner;',
    problem: "in core, run stands above store",
  },
  {
    name: "a room of core taking a type from one above it in passing",
    file: "src/core/trust/label.ts",
    line: 'export type S = import("../store/store.ts").Store;',
    problem: "src/core/trust/label.ts imports src/core/store/store.ts: in core, store stands above trust",
  },
  {
    name: "a database that comes with Node outside the store",
    file: "src/core/run/runner.ts",
    line: 'import { DatabaseSync } from "node:sqlite"; DatabaseSync;',
    problem: "only src/core/store and the store.ts of a feature",
  },
  {
    name: "a part of a driver outside the store",
    file: "src/core/run/runner.ts",
    line: 'import "pg/lib/client.js";',
    problem: "only src/core/store and the store.ts of a feature",
  },
  {
    name: "core serving HTTP by the module's short name",
    file: "src/core/agent/query.ts",
    line: 'import { createServer } from "http"; createServer();',
    problem: "core knows no platform, no scheduler, no HTTP server",
  },
  {
    name: "a module that is required",
    file: "src/core/run/runner.ts",
    line: 'export const store = require("../../adapters/slack/adapter.ts");',
    problem: "src/core/run/runner.ts loads a module without import",
  },
  {
    name: "a require that is made",
    file: "src/core/run/runner.ts",
    line: 'import { createRequire as from } from "node:module"; from(import.meta.url)("discord.js");',
    problem: "src/core/run/runner.ts loads a module without import",
  },
  {
    name: "a module of Node that is asked for by name",
    file: "src/core/run/runner.ts",
    line: 'export const sqlite = process.getBuiltinModule("node:sqlite");',
    problem: "src/core/run/runner.ts loads a module without import",
  },
  {
    name: "a room of core without a layer",
    file: "src/core/novel/novel.ts",
    line: 'import type { Tool } from "../tool.ts"; export type T = Tool;',
    problem: "src/core/novel has no place among the layers",
  },
  {
    name: "one adapter importing another",
    file: "src/adapters/web/adapter.ts",
    line: 'export { adapter } from "../slack/adapter.ts";',
    problem: "adapters do not import each other",
  },
  {
    name: "render knowing a platform",
    file: "src/adapters/render/view.ts",
    line: 'import "../discord/adapter.ts";',
    problem: "render is shared by the platforms",
  },
  {
    name: "an adapter reading the configuration",
    file: "src/adapters/web/adapter.ts",
    line: 'import { loadConfig } from "../../config.ts"; loadConfig;',
    problem: "adapters, tools and jobs import core only",
  },
  {
    name: "a tool importing an adapter",
    file: "src/tools/sandboxed/read.ts",
    line: 'import "../../adapters/web/adapter.ts";',
    problem: "tools import core only",
  },
  {
    name: "the command line seeing an adapter",
    file: "src/cli/program.ts",
    line: 'import "../adapters/slack/adapter.ts";',
    problem: "only app.ts sees adapters",
  },
  {
    name: "one feature importing another",
    file: "src/features/memory/feature.ts",
    line: 'import "../mcp/feature.ts";',
    problem: "features do not import each other",
  },
  {
    name: "a feature importing an adapter",
    file: "src/features/memory/feature.ts",
    line: 'import "../../adapters/slack/adapter.ts";',
    problem: "a feature imports core, the tools' parts and the seam",
  },
  {
    name: "core knowing a feature",
    file: "src/core/agent/query.ts",
    line: 'import "../../features/mcp/feature.ts";',
    problem: "core imports nothing of the program's other parts",
  },
  {
    name: "a tool knowing a feature",
    file: "src/tools/toolbox.ts",
    line: 'import "../features/mcp/feature.ts";',
    problem: "adapters, tools and jobs import core only",
  },
  {
    name: "a command knowing a feature",
    file: "src/run-on-store.ts",
    line: 'export const load = () => import("./features/memory/search.ts");',
    problem: "only the lists src/features/features.ts and src/features/subcommands.ts name features",
  },
  {
    name: "the composition root knowing a feature",
    file: "src/app.ts",
    line: 'import type { M } from "./features/memory/feature.ts"; export type N = M;',
    problem: "only the lists",
  },
  {
    name: "a part of the program taking the list of features",
    file: "src/open-toolbox.ts",
    line: 'import { FEATURES } from "./features/features.ts"; FEATURES;',
    problem: "only app.ts and the process entry take the list of features",
  },
  {
    name: "something importing the composition root",
    file: "src/cli/program.ts",
    line: 'import "../app.ts";',
    problem: "only the process entry imports the composition root",
  },
  {
    name: "the program importing a test",
    file: "src/cli/program.ts",
    line: 'import "../../test/support/clock.ts";',
    problem: "the program does not depend on what surrounds it",
  },
  {
    name: "the program needing a build tool at run time",
    file: "src/adapters/web/server.ts",
    line: 'import { build } from "esbuild"; build;',
    problem: "absent in a release",
  },
];

test.each(violations)("$name is refused", ({ file, line, problem }) => {
  const problems = boundaryProblems(projectWith({ ...SOURCES, [file]: `${line}\n` }));
  expect(problems).toEqual([expect.stringContaining(problem)]);
});

test("a cycle is shown with its whole way", () => {
  const root = projectWith({
    "src/core/a.ts": 'import "./b.ts";\n',
    "src/core/b.ts": 'export * from "./c.ts";\n',
    "src/core/c.ts": 'export const load = () => import("./a.ts");\n',
  });
  expect(boundaryProblems(root)).toEqual([
    "Import cycle: src/core/a.ts → src/core/b.ts → src/core/c.ts → src/core/a.ts.",
  ]);
});

test("types make a cycle, too", () => {
  const root = projectWith({
    "src/core/a.ts": 'import type { B } from "./b.ts";\nexport type A = B;\n',
    "src/core/b.ts": 'import type { A } from "./a.ts";\nexport type B = A;\n',
  });
  expect(boundaryProblems(root)).toEqual(["Import cycle: src/core/a.ts → src/core/b.ts → src/core/a.ts."]);
});

const circles: { name: string; files: Record<string, string>; problem: string }[] = [
  {
    name: "a folder and one in it",
    files: {
      "src/core/store/store.ts": 'import "./run/posts.ts";\n',
      "src/core/store/run/posts.ts": 'import type { Row } from "../sessions.ts";\nexport type R = Row;\n',
      "src/core/store/sessions.ts": "export type Row = object;\n",
    },
    problem:
      "Circle of folders: src/core/store/run → src/core/store → src/core/store/run: src/core/store/run/posts.ts imports src/core/store/sessions.ts; src/core/store/store.ts imports src/core/store/run/posts.ts.",
  },
  {
    name: "two folders by what lies deep in them",
    files: {
      "src/core/store/a/deep/one.ts": 'import "../../b/two.ts";\n',
      "src/core/store/b/two.ts": "export {};\n",
      "src/core/store/b/deep/three.ts": 'import "../../a/four.ts";\n',
      "src/core/store/a/four.ts": "export {};\n",
    },
    problem:
      "Circle of folders: src/core/store/a → src/core/store/b → src/core/store/a: src/core/store/a/deep/one.ts imports src/core/store/b/two.ts; src/core/store/b/deep/three.ts imports src/core/store/a/four.ts.",
  },
  {
    name: "three folders",
    files: {
      "src/core/store/a/one.ts": 'import "../b/two.ts";\n',
      "src/core/store/b/two.ts": "export {};\n",
      "src/core/store/b/three.ts": 'import "../four.ts";\n',
      "src/core/store/four.ts": "export {};\n",
      "src/core/store/five.ts": 'import "./a/six.ts";\n',
      "src/core/store/a/six.ts": "export {};\n",
    },
    problem: "Circle of folders: src/core/store/a → src/core/store/b → src/core/store → src/core/store/a: ",
  },
];

test.each(circles)("$name of core that need each other are refused", ({ files, problem }) => {
  expect(boundaryProblems(projectWith(files))).toEqual([expect.stringContaining(problem)]);
});

test("a file that does not parse is named rather than passed over", () => {
  expect(boundaryProblems(projectWith({ "src/core/a.ts": "import {\n" }))).toEqual([
    expect.stringMatching(/^src\/core\/a\.ts: cannot be parsed/),
  ]);
});
