import { expect, test } from "vitest";
import { changedFiles } from "../../../src/core/agent/run-state.ts";
import { netChanges } from "../../../src/core/history/run-changes.ts";
import type { FileState } from "../../../src/core/protocol/tool-result.ts";

const wrote = (path: string, before: string | null | undefined, sha256: string | null): FileState => ({
  path,
  sha256,
  action: "wrote",
  ...(before === undefined ? {} : { before }),
});

test.each<[string, FileState[], ReturnType<typeof netChanges>]>([
  [
    "several changes of a file are one",
    [wrote("a", "1", "2"), wrote("a", "2", "3")],
    [{ path: "a", before: "1", after: "3", isInterleaved: false }],
  ],
  [
    "what ends as it began is none",
    [wrote("a", "1", "2"), wrote("b", null, "x"), wrote("a", "2", "1"), wrote("b", "x", null)],
    [],
  ],
  [
    "another's change in between is noticed",
    [wrote("a", "1", "2"), wrote("a", "by hand", "3")],
    [{ path: "a", before: "1", after: "3", isInterleaved: true }],
  ],
  [
    "the directories that came to be with a file are those of its first change",
    [
      { ...wrote("a/b/f", null, "1"), made: "a/b" },
      wrote("a/b/f", "1", null),
      { ...wrote("a/b/f", null, "2"), made: "a" },
    ],
    [{ path: "a/b/f", before: null, after: "2", isInterleaved: false, made: "a/b" }],
  ],
  [
    "a directory goes with the files that stay of the run, when that which it came to be with is gone again",
    [
      wrote("a/old", "1", "2"),
      { ...wrote("a/b/draft", null, "1"), made: "a/b" },
      wrote("a/b/c", null, "2"),
      wrote("a/bc", null, "3"),
      wrote("a/b/draft", "1", null),
    ],
    [
      { path: "a/old", before: "1", after: "2", isInterleaved: false },
      { path: "a/b/c", before: null, after: "2", isInterleaved: false, made: "a/b" },
      { path: "a/bc", before: null, after: "3", isInterleaved: false },
    ],
  ],
  [
    "what was before may be unknown",
    [wrote("a", undefined, null)],
    [{ path: "a", before: undefined, after: null, isInterleaved: false }],
  ],
])("%s", (_name, files, changes) => {
  expect(netChanges(files)).toEqual(changes);
});

test("a stored output file does not count as a change that can be undone", () => {
  const files = [wrote(".deckhand-output/call-stdout.txt", null, "1"), wrote("a", "1", "2")];
  expect(netChanges(files).map(({ path }) => path)).toEqual(["a"]);
  expect(changedFiles(files)).toEqual(["a"]);
});
