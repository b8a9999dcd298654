import { expect, test } from "vitest";
import { bodyOf, titleOf } from "../../../../src/adapters/render/local/message-body.ts";

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
])("a thread that starts with %j has the title %j", (text, title) => {
  expect(titleOf(text)).toBe(title);
});

const button = (id: string) => ({ id, label: "A button", style: "default" as const });
const FOLD = [button("details:run_1"), button("good:run_1"), button("bad:run_1")];

test.each([
  { was: "a live message", lane: "progress", buttons: [button("stop:run_1")], shows: { type: "live" } },
  { was: "a fold", lane: "progress", buttons: FOLD, shows: { type: "end", state: "done", isFigures: true } },
  { was: "a stop", lane: "answer", buttons: FOLD, shows: { type: "end", state: "stopped", isFigures: false } },
  { was: "an approval", lane: "approval", buttons: [button("approve:y:a")], shows: { type: "card", card: "approval" } },
  { was: "a plan", lane: "approval", buttons: [button("answer:go:q")], shows: { type: "card", card: "plan" } },
  { was: "a choice", lane: "approval", buttons: [button("answer:0:q")], shows: { type: "card", card: "question" } },
  { was: "a question", lane: "approval", buttons: [], footer: "Reply.", shows: { type: "card", card: "question" } },
  { was: "an offer", lane: "approval", buttons: [button("hook:instructions:r")], shows: { card: "offer" } },
  { was: "a decision", lane: "approval", buttons: [], shows: undefined },
  { was: "an answer", lane: "answer", buttons: [], footer: "✗ Stopped.", shows: undefined },
])("$was in a row of an earlier version is recognised", ({ lane, buttons, footer, shows }) => {
  const body = { by: "deckhand", markdown: "✓ Its words.", tone: "plain", lane, buttons, files: [], signs: [] };
  const row = { id: "m", threadId: "t", key: "k", fromPerson: false, at: 0, position: 1, seq: 1 };
  const read = bodyOf({ ...row, body: JSON.stringify({ ...body, footer }) });
  if (shows === undefined) expect(read.shows).toBeUndefined();
  else expect(read.shows).toMatchObject(shows);
});

test.each([
  {
    what: "has parts that a newer version has added",
    body: { tone: "loud", shows: { type: "new" } },
    reads: "Its words.",
  },
  { what: "is for nobody who is known", body: { by: "oracle" }, reads: "⚠ I cannot read this message." },
  { what: "is no message", body: null, reads: "⚠ I cannot read this message." },
])("a row that $what does not hide the other messages", ({ body, reads }) => {
  const row = { id: "m", threadId: "t", key: "k", fromPerson: false, at: 0, position: 1, seq: 1 };
  const whole = { by: "note", to: "web:ana", markdown: "Its words.", tone: "plain", buttons: [], files: [] };
  const read = bodyOf({ ...row, body: body === null ? "{odd" : JSON.stringify({ ...whole, ...body }) });
  expect(read).toMatchObject({ markdown: reads, tone: "plain", buttons: [] });
  if (reads === whole.markdown) expect(read).toMatchObject({ by: "note", to: "web:ana" });
});
