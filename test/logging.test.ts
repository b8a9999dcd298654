import { expect, test } from "vitest";
import { z } from "zod";
import type { Log } from "../src/core/protocol/log.ts";
import { createLogger } from "../src/logging.ts";

const SECRET = 'xoxb-"quoted"/secret';

const lineSchema = z.looseObject({ level: z.string(), time: z.iso.datetime(), event: z.string() });

function linesOf(write: (log: Log) => void): { text: string; lines: z.infer<typeof lineSchema>[] } {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  write(createLogger({ level: "info", secrets: [SECRET, "abc"], destination }));
  return { text: written.join(""), lines: written.map((line) => lineSchema.parse(JSON.parse(line))) };
}

test("a line holds the event, its fields and those of the logger's parents", () => {
  const { lines } = linesOf((log) => log.child({ sessionId: "ses_1" }).info({ turns: 2 }, "run ended"));
  expect(lines).toEqual([expect.objectContaining({ level: "info", event: "run ended", sessionId: "ses_1", turns: 2 })]);
});

test("lines below the level are left out", () => {
  const { lines } = linesOf((log) => {
    log.debug({}, "too fine");
    log.warn({}, "kept");
  });
  expect(lines.map((line) => line.event)).toEqual(["kept"]);
});

test("an error keeps its stack and its cause", () => {
  const error = new Error("outer", { cause: new Error("inner") });
  const { text } = linesOf((log) => log.error({ error }, "failed"));
  expect(text).toContain("logging.test.ts");
  expect(text).toContain("inner");
});

const carriers: { name: string; write: (log: Log) => void }[] = [
  { name: "a field", write: (log) => log.info({ value: SECRET }, "e") },
  { name: "the event", write: (log) => log.info({}, `token ${SECRET}`) },
  { name: "an error's message", write: (log) => log.error({ error: new Error(`bad ${SECRET}`) }, "e") },
  { name: "a URL", write: (log) => log.info({ url: `https://x/?token=${encodeURIComponent(SECRET)}` }, "e") },
  { name: "a child's field", write: (log) => log.child({ deep: { er: [SECRET] } }).info({}, "e") },
];

test.each(carriers)("a secret in $name is hidden", ({ write }) => {
  const { text } = linesOf(write);
  expect(text).toContain("[secret]");
  expect(text).not.toContain("quoted");
});

test("fields that are credentials by name are hidden though nobody listed their value", () => {
  const { text } = linesOf((log) => log.info({ request: { headers: { authorization: "Bearer unlisted" } } }, "e"));
  expect(text).toContain("[secret]");
  expect(text).not.toContain("unlisted");
});

test("a secret too short to be one does not tear holes into words", () => {
  expect(linesOf((log) => log.info({}, "abcdef")).lines[0]?.event).toBe("abcdef");
});
