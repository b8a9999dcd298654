import { expect, test } from "vitest";
import { firstWord, readArguments } from "../../../src/core/command-line/arguments.ts";
import { shellWords } from "../../../src/core/command-line/shell-words.ts";

const lines: readonly (readonly [line: string, words: readonly string[]])[] = [
  ["", []],
  ["  \n ", []],
  ["one two\nthree", ["one", "two", "three"]],
  ['"Daily report" x', ["Daily report", "x"]],
  ["'a \"b\" c'", ['a "b" c']],
  [String.raw`"say \"hi\" \\ \n"`, [String.raw`say "hi" \ \n`]],
  [String.raw`'no \escape'`, [String.raw`no \escape`]],
  [String.raw`two\ words \"quoted\"`, ["two words", '"quoted"']],
  ['pre"mid dle"post', ["premid dlepost"]],
  ['""', [""]],
  ["“Daily report” ‘x y’", ["Daily report", "x y"]],
  ["„So“ it’s fine", ["So", "it’s", "fine"]],
  ["end\\", ["end\\"]],
  ["0 9 * * 1-5", ["0", "9", "*", "*", "1-5"]],
];

test.each(lines)("%j is split as a shell does", (line, words) => {
  const split = shellWords(line);
  expect(split.type === "words" ? split.words.map(({ text }) => text) : split.reason).toEqual(words);
});

test.each([
  ['--name "Daily', 'The quote that starts at `"Daily` is never closed.'],
  ["don't", "The quote that starts at `'t` is never closed."],
  ["“open and very very long", "The quote that starts at `“open and very very …` is never closed."],
])("the position of the unclosed quote in %j is reported", (line, reason) => {
  expect(shellWords(line)).toEqual({ type: "broken", reason: expect.stringContaining(reason) });
});

const rules = { flags: ["name", "cron", "timeout"] };

const flagged: readonly (readonly [line: string, words: readonly string[], flags: Readonly<Record<string, string>>])[] =
  [
    ["add", ["add"], {}],
    ['add --name "Daily report" --cron "0 9 * * 1-5"', ["add"], { name: "Daily report", cron: "0 9 * * 1-5" }],
    ['--name="a b" add', ["add"], { name: "a b" }],
    ["--name= add", ["add"], { name: "" }],
    ["—name x –cron y", [], { name: "x", cron: "y" }],
    ['"--name" x', ["--name", "x"], {}],
    ["--name '--cron'", [], { name: "--cron" }],
    ["--timeout -5", [], { timeout: "-5" }],
    ["run -- --name x", ["run", "--name", "x"], {}],
  ];

test.each(flagged)("%j is parsed into words and flags", (line, words, flags) => {
  const read = readArguments(line, rules);
  expect(read.type === "read" ? { words: read.words, flags: Object.fromEntries(read.flags) } : read.reason).toEqual({
    words,
    flags,
  });
});

test.each([
  ["--nmae x", "I don't know `--nmae`. Did you mean `--name`?"],
  ["--color x", "I don't know `--color`. Options: `--name`, `--cron`, `--timeout`."],
  ["--name", '`--name` needs a value: `--name "…"`.'],
  ["--name --cron x", '`--name` needs a value: `--name "…"`.'],
  ["--name a --name b", "`--name` is given twice."],
  ["one two three", "I don't know what to do with `three`."],
])("the error in %j is reported", (line, reason) => {
  expect(readArguments(line, { ...rules, words: 2 })).toEqual({ type: "broken", reason });
});

test.each([
  ["plan don't touch\n  it", "plan", "don't touch\n  it"],
  ["  plan  ", "plan", ""],
  ["", "", ""],
])("splitting off the first word of %j leaves the rest as typed", (line, word, rest) => {
  expect(firstWord(line)).toEqual({ word, rest });
});
