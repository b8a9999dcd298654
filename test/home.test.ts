import { chmodSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PRIVATE, requireWritable } from "../src/home.ts";

let directory = "";

beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), "deckhand-home-"));
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function modeOf(place: string): number {
  return statSync(place).mode & 0o777;
}

test("a new home is its owner's alone, and the way to it is not", async () => {
  const home = path.join(directory, "var/deckhand");
  await requireWritable(home, "DECKHAND_HOME", PRIVATE);
  expect(modeOf(home)).toBe(0o700);
  expect(modeOf(path.dirname(home))).not.toBe(0o700);
});

test("a home that is there keeps the mode that an operator gave it", async () => {
  chmodSync(directory, 0o750);
  await requireWritable(directory, "DECKHAND_HOME", PRIVATE);
  expect(modeOf(directory)).toBe(0o750);
});
