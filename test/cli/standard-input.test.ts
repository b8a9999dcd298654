import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { newKey, newPassword, typedLines } from "../../src/cli/standard-input.ts";

/** A terminal that types these keys, one string at each prompt. */
function terminal(...keys: readonly string[]) {
  const input = new PassThrough();
  const left = [...keys];
  const setRawMode = (isRaw: boolean) => {
    if (isRaw) setImmediate(() => input.write(left.shift() ?? ""));
    return stdin;
  };
  const stdin = Object.assign(input, { isTTY: true as const, setRawMode });
  return stdin;
}

test("the password typed twice is returned, or null if both differ", async () => {
  expect(await newPassword(terminal("one\r", "one\r"), false)).toBe("one");
  expect(await newPassword(terminal("one\r", "two\r"), false)).toBeNull();
});

test.each([
  { name: "Ctrl+C", keys: ["\u0003"] },
  { name: "Ctrl+D", keys: ["\u0004"] },
  { name: "Ctrl+C at the second", keys: ["one\r", "\u0003"] },
])("leaving the prompt by $name says that nothing was changed", async ({ keys }) => {
  await expect(newPassword(terminal(...keys), false)).rejects.toMatchObject({ code: "config" });
});

test("closing the terminal ends the prompt", async () => {
  const stdin = terminal("");
  setImmediate(() => stdin.end());
  await expect(newKey(stdin)).rejects.toThrow("nothing was changed");
});

test("typed or piped lines are read until enough have arrived, and Ctrl+C says that nothing was changed", async () => {
  const enough = new AbortController();
  const lines: string[] = [];
  const long = "x".repeat(10_000);
  for await (const line of typedLines(terminal(`${long}\rtwo\rthree\r`), enough.signal)) {
    lines.push(line);
    if (line === "two") enough.abort();
  }
  expect(lines.slice(0, 2)).toEqual([long, "two"]);
  const typed = async () => {
    for await (const line of typedLines(terminal("one\r\u0003"), new AbortController().signal)) lines.push(line);
  };
  await expect(typed()).rejects.toThrow("Interrupted: nothing was changed.");
});
