import { type Call, inputsOf, Refusal, textCommand, textOf } from "./command.ts";
import { posixRegex } from "./posix-regex.ts";

/** Each separator stays attached to its record, so a last record without one is joined to the record printed next. */
export const TAC = textCommand(
  "tac",
  { flags: "br", values: "s", long: { before: "b", regex: "r", separator: "s" } },
  async (call) => (await inputsOf(call)).map((input) => recordsOf(textOf(input), call).toReversed().join("")).join(""),
);

function recordsOf(text: string, { flags, values }: Call): string[] {
  const records: string[] = [];
  let from = 0;
  for (const [start, end] of separatorsOf(text, values.get("s") ?? "\n", flags.has("r"))) {
    const cut = flags.has("b") ? start : end;
    records.push(text.slice(from, cut));
    from = cut;
  }
  return [...records, text.slice(from)];
}

function* separatorsOf(text: string, separator: string, isPattern: boolean): Generator<readonly [number, number]> {
  if (separator === "") throw new Refusal("an empty separator is not known here");
  if (isPattern) {
    for (const { 0: found, index } of text.matchAll(posixRegex(separator, "basic", "g")))
      if (found !== "") yield [index, index + found.length];
    return;
  }
  for (let at = text.indexOf(separator); at !== -1; at = text.indexOf(separator, at + separator.length))
    yield [at, at + separator.length];
}
