import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();

test("output, errors and exit code come apart", async () => {
  const result = await fileSession(sandbox).run("bash", { command: "echo out; echo err >&2; exit 3" });
  expect(text(result)).toBe("exit code 3\nstdout:\nout\nstderr:\nerr");
  expect(result).toMatchObject({ isError: true, summary: "exit code 3" });
});

test("a script changes files, and the result names each with its hash", async () => {
  const session = fileSession(sandbox);
  session.put("old.txt", "old\n");
  session.put("gone.txt", "x");
  const result = await session.run("bash", {
    command:
      "mkdir -p a/b; printf 'x\\n' > a/b/new.txt; echo more >> old.txt; rm gone.txt; cp old.txt copy.txt; mv copy.txt a/",
  });
  expect(text(result)).toBe("exit code 0");
  const hash = (content: string): string => createHash("sha256").update(content).digest("hex");
  expect(result.files).toEqual([
    { path: "a/b/new.txt", sha256: hash("x\n"), action: "wrote" },
    { path: "old.txt", sha256: hash("old\nmore\n"), action: "wrote" },
    { path: "gone.txt", sha256: null, action: "wrote" },
    { path: "copy.txt", sha256: null, action: "wrote" },
    { path: "a/copy.txt", sha256: hash("old\nmore\n"), action: "wrote" },
  ]);
  expect(session.bytes("a/b/new.txt").toString()).toBe("x\n");
  expect(existsSync(path.join(session.root, "gone.txt"))).toBe(false);
});
