import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { newKey, newPassword, typedLines } from "../../src/cli/new-password.ts";

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

test("what is typed twice is the password, and none is where the two differ", async () => {
  expect(await newPassword(terminal("one\r", "one\r"), false)).toBe("one");
  expect(await newPassword(terminal("one\r", "two\r"), false)).toBeNull();
});

test.each([
  { name: "Ctrl+C", keys: ["\u0003"] },
  { name: "Ctrl+D", keys: ["\u0004"] },
  { name: "Ctrl+C at the second", keys: ["one\r", "\u0003"] },
])("who leaves the question by $name is told that nothing was changed", async ({ keys }) => {
  await expect(newPassword(terminal(...keys), false)).rejects.toMatchObject({ code: "config" });
});

test("a terminal that is closed ends the question", async () => {
  const stdin = terminal("");
  setImmediate(() => stdin.end());
  await expect(newKey(stdin)).rejects.toThrow("nothing was changed");
});

test("lines that are typed or piped arrive until enough are read; Ctrl+C says that nothing was changed", async () => {
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
