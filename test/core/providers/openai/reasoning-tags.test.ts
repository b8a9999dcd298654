import { expect, test } from "vitest";
import { createReasoningSplitter } from "../../../../src/core/providers/openai/reasoning-tags.ts";

function split(chunks: readonly string[]): { thinking: string; text: string } {
  const splitter = createReasoningSplitter();
  const pieces = [...chunks.flatMap((chunk) => [...splitter.next(chunk)]), ...splitter.rest()];
  const of = (type: string) => pieces.flatMap((piece) => (piece.type === type ? [piece.text] : [])).join("");
  return { thinking: of("thinking"), text: of("text") };
}

const cases: readonly { what: string; written: string; thinking: string; text: string }[] = [
  { what: "thoughts, then an answer", written: "<reasoning>Hm.</reasoning>Yes.", thinking: "Hm.", text: "Yes." },
  {
    what: "tags around each chunk",
    written: "<reasoning>One </reasoning>\n<reasoning>two.</reasoning>Yes.",
    thinking: "One two.",
    text: "Yes.",
  },
  { what: "other tags", written: "<think>\nHm.\n</think>\n\nYes.", thinking: "\nHm.\n", text: "Yes." },
  {
    what: "tags of another kind within",
    written: "<thinking>a </think> b</thinking>c",
    thinking: "a </think> b",
    text: "c",
  },
  { what: "an answer alone", written: "Yes.", thinking: "", text: "Yes." },
  { what: "an answer that looks like a tag at first", written: "<reason it>", thinking: "", text: "<reason it>" },
  {
    what: "a tag within the answer",
    written: "Use <reasoning>x</reasoning>.",
    thinking: "",
    text: "Use <reasoning>x</reasoning>.",
  },
  {
    what: "thoughts that hold other tags",
    written: "<reasoning>a </b> c</reasoning>d",
    thinking: "a </b> c",
    text: "d",
  },
  { what: "thoughts that are cut off", written: "<reasoning>So far </rea", thinking: "So far </rea", text: "" },
  { what: "a beginning that is cut off", written: " <reas", thinking: "", text: " <reas" },
  { what: "nothing", written: "", thinking: "", text: "" },
];
test.each(cases)("$what, in one chunk and character by character", ({ written, thinking, text }) => {
  expect(split([written])).toEqual({ thinking, text });
  expect(split(written.split(""))).toEqual({ thinking, text });
});

test("text that cannot start a tag is not delayed", () => {
  const splitter = createReasoningSplitter();
  expect([...splitter.next("<reasoning>Thinking")]).toEqual([{ type: "thinking", text: "Thinking" }]);
  expect([...splitter.next(" on</reasoning>Well, ")]).toEqual([
    { type: "thinking", text: " on" },
    { type: "text", text: "Well, " },
  ]);
  expect([...splitter.next("yes.")]).toEqual([{ type: "text", text: "yes." }]);
});
