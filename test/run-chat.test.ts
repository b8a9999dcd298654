import { type Duplex, duplexPair } from "node:stream";
import { expect, test } from "vitest";
import { reachProgram } from "../src/run-chat.ts";

const [stream] = duplexPair();

/** A program whose starts end one after the other as given, after more time than there is to reach it. */
function ownProgram(starts: ("running" | "taken" | "failed")[]) {
  let attached: Duplex | null = null;
  return {
    attach: () => attached,
    start: () => {
      const began = starts.shift() ?? "taken";
      if (began === "running") attached = stream;
      return Promise.resolve(began);
    },
  };
}

test.each([
  { starts: ["running" as const], reached: stream, said: [] },
  { starts: ["failed" as const], reached: null, said: [] },
  {
    starts: ["taken" as const],
    reached: null,
    said: [expect.stringContaining("nothing listens at /nowhere/chat.sock")],
  },
])(
  "a chat whose own start, however long it took, is $starts reaches what it can",
  async ({ starts, reached, said }) => {
    const lines: string[] = [];
    const say = (line: string) => lines.push(line);
    const own = ownProgram([...starts]);
    expect(await reachProgram({ own, socket: "/nowhere/chat.sock", withinMs: 0, say })).toBe(reached);
    expect(lines).toEqual(said);
  },
);
