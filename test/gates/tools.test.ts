import { spawnSync } from "node:child_process";
import { copyFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { projectWith } from "../support/project.ts";

/** Tests that the tools, with this project's settings, report a project that breaks one rule. */

const root = path.resolve(import.meta.dirname, "../..");

const SETTINGS = [".oxlintrc.json", "tsconfig.json", "biome.json", "knip.json"];

function run(files: Record<string, string>, program: string, ...args: string[]): { ok: boolean; output: string } {
  const project = projectWith({ "package.json": '{ "type": "module" }\n', ...files });
  for (const name of SETTINGS) copyFileSync(path.join(root, name), path.join(project, name));
  symlinkSync(path.join(root, "node_modules"), path.join(project, "node_modules"));
  const bin = path.join(root, "node_modules/.bin", program);
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd: project, encoding: "utf8" });
  return { ok: status === 0, output: stdout + stderr };
}

const lint = (files: Record<string, string>) =>
  run(files, "oxlint", "--type-aware", "--deny-warnings", "--format=unix");

test("lint accepts code that keeps the rules", () => {
  const file = "export async function work(save: () => Promise<void>): Promise<void> {\n  await save();\n}\n";
  expect(lint({ "src/core/a.ts": file, "src/config.ts": "export const { env } = process;\n" })).toMatchObject({
    ok: true,
  });
});

const lintRules: { name: string; isCore?: true; text: string; rule: string }[] = [
  {
    name: "a floating promise",
    text: "declare function save(): Promise<void>;\nexport function work() {\n  save();\n}\n",
    rule: "no-floating-promises",
  },
  {
    name: "a promise thrown away with void",
    text: "declare function save(): Promise<void>;\nexport function work() {\n  void save();\n}\n",
    rule: "no-floating-promises",
  },
  { name: "any", text: "export const value: any = 1;\n", rule: "no-explicit-any" },
  {
    name: "a non-null assertion",
    text: "export const first = (list: string[]) => list[0]!;\n",
    rule: "no-non-null-assertion",
  },
  { name: "console in the program", text: 'console.log("x");\n', rule: "no-console" },
  { name: "the environment", text: "export const home = process.env.HOME;\n", rule: "no-restricted-properties" },
  { name: "the environment, taken apart", text: "export const { env } = process;\n", rule: "no-restricted-properties" },
  {
    name: "the environment in the core",
    isCore: true,
    text: "export const home = process.env.HOME;\n",
    rule: "no-restricted-properties",
  },
  {
    name: "the clock in the core",
    isCore: true,
    text: "export const at = Date.now();\n",
    rule: "no-restricted-properties",
  },
  {
    name: "chance in the core",
    isCore: true,
    text: "export const dice = Math.random();\n",
    rule: "no-restricted-properties",
  },
  {
    name: "a timer in the core",
    isCore: true,
    text: "export const start = (fn: () => void) => setTimeout(fn, 1);\n",
    rule: "no-restricted-globals",
  },
  {
    name: "four parameters",
    text: "export const sum = (a: number, b: number, c: number, d: number) => a + b + c + d;\n",
    rule: "max-params",
  },
  {
    name: "a function beyond 60 lines",
    text: `export function long(): number[] {\n  const list: number[] = [];\n${"  list.push(1);\n".repeat(60)}  return list;\n}\n`,
    rule: "max-lines-per-function",
  },
];

describe("lint refuses", () => {
  const breaking = lintRules.map((each, index) => {
    return { ...each, file: `src/${each.isCore === true ? "core/" : ""}broken-${index}.ts` };
  });
  /** One run of the linter for all files, because starting it takes longer than checking a file. */
  let linted: ReturnType<typeof lint> | null = null;

  test.each(breaking)("$name", ({ file, rule }) => {
    linted ??= lint(Object.fromEntries(breaking.map((each) => [each.file, each.text])));
    const said = linted.output.split("\n").filter((line) => line.includes(`${file}:`));
    expect(said.join("\n")).toContain(rule);
    expect(linted.ok).toBe(false);
  });
});

test("format refuses what the formatter would change", () => {
  expect(run({ "src/a.ts": "export const a = 1;\n" }, "biome", "ci", "src")).toMatchObject({ ok: true });
  const { ok, output } = run({ "src/a.ts": "export const a=1\n" }, "biome", "ci", "src");
  expect(output).toContain("src/a.ts");
  expect(ok).toBe(false);
});

test("types refuse an index that may be missing and syntax that Node cannot strip", () => {
  const { ok, output } = run(
    { "src/a.ts": "export const first = (list: string[]): string => list[0];\nexport enum Kind { A }\n" },
    "tsc",
  );
  expect(output).toContain("error TS2322");
  expect(output).toContain("error TS1294");
  expect(ok).toBe(false);
});

test("unused exports and files are refused", () => {
  const { ok, output } = run(
    {
      "src/main.ts": 'import { used } from "./a.ts";\nused();\n',
      "src/a.ts": "export function used() {}\nexport function idle() {}\n",
      "src/alone.ts": "export {};\n",
    },
    "knip",
    "--no-progress",
  );
  expect(output).toMatch(/idle .*src\/a\.ts/);
  expect(output).toContain("src/alone.ts");
  expect(ok).toBe(false);
});
