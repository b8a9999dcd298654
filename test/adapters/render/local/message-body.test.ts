import { expect, test } from "vitest";
import { titleOf } from "../../../../src/adapters/render/local/message-body.ts";

test.each([
  ['/jobs add --cron "0 9 * * 1-5" --prompt "x"', '/jobs add --cron "0 9 * * 1-5" --prompt "x"'],
  ['/jobs add --cron "*/5 * * * *"', '/jobs add --cron "*/5 * * * *"'],
  ["/skill code-review src/", "code-review src/"],
  ["/help", "Help"],
  ["/tmp is full", "/tmp is full"],
  ["find src/*.ts and lib/*", "find src/*.ts and lib/*"],
  ["read my_file.toml, #42 > 41", "read my_file.toml, #42 > 41"],
  ["**Daily report** · every day", "Daily report · every day"],
  ["## A *heading* with `code`", "A heading with code"],
  ["> _quoted_ and ~~gone~~.", "quoted and gone."],
  ["---\nthe second line\nthe third", "the second line"],
  ["***", "New thread"],
])("a thread that begins with %j is called %j", (text, title) => {
  expect(titleOf(text)).toBe(title);
});
