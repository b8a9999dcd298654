import { expect, test } from "vitest";
import { programArguments } from "../../../src/features/extensions/arguments.ts";

const input = {
  fileName: "a b.csv",
  max_rows: 3,
  header: true,
  quiet: false,
  columns: ["x", "-y"],
  where: { a: 1 },
  none: null,
};

const templates = [
  {
    name: "without a template",
    template: undefined,
    gives: ["--file-name=a b.csv", "--max-rows=3", "--header", "--columns=x", "--columns=-y", '--where={"a":1}'],
  },
  { name: "by position", template: ["query", "{fileName}"], gives: ["query", "a b.csv"] },
  { name: "within an argument", template: ["--in={fileName}:{max_rows}"], gives: ["--in=a b.csv:3"] },
  { name: "a flag", template: ["--header{header}", "--quiet{quiet}"], gives: ["--header"] },
  { name: "a list", template: ["--", "{columns}"], gives: ["--", "x", "-y"] },
  { name: "what is absent", template: ["--none={none}", "{missing}", "end"], gives: ["end"] },
];

test.each(templates)("property values become program arguments: $name", ({ template, gives }) => {
  expect(programArguments(input, template)).toEqual(gives);
});

test("a value that looks like an option stays part of its own argument", () => {
  expect(programArguments({ file: "a --delete\0--all" }, undefined)).toEqual(["--file=a --delete--all"]);
  expect(programArguments({ file: "{other}", other: "secret" }, ["{file}"])).toEqual(["{other}"]);
});
