import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { saveAttachment } from "../../src/tools/attachments.ts";
import { silentLog } from "../support/silent-log.ts";

let sandboxRoot = "";

beforeEach(() => {
  sandboxRoot = mkdtempSync(path.join(tmpdir(), "deckhand-attachments-"));
});

afterEach(() => rmSync(sandboxRoot, { recursive: true, force: true }));

async function save(name: string, content: string): Promise<string | null> {
  const saved = await saveAttachment({
    place: { sandboxRoot, personId: "slack:U1", channelKey: "slack:C1" },
    name,
    data: Buffer.from(content),
    log: silentLog,
  });
  if (saved !== null && typeof saved !== "string") throw new Error(saved.refused);
  return saved;
}

test.each([
  { name: "notes.txt", kept: "attachments/notes.txt" },
  { name: "../../etc/passwd", kept: "attachments/passwd" },
  { name: "C:\\Users\\ana\\plan.txt", kept: "attachments/plan.txt" },
  { name: ".bashrc", kept: "attachments/bashrc" },
  { name: "..", kept: "attachments/file" },
  { name: "a\u0000b\n.txt", kept: "attachments/ab.txt" },
  { name: "AGENTS.md", kept: "attachments/attached-AGENTS.md" },
  { name: "docs/claude.md", kept: "attachments/attached-claude.md" },
  { name: "Screenshot at 3.14.15\u202fPM.png", kept: "attachments/Screenshot at 3.14.15 PM.png" },
  { name: "U\u0308bersicht\u00a0neu.pdf ", kept: "attachments/Übersicht neu.pdf" },
  { name: "\ufeff\u202egpj.exe", kept: "attachments/gpj.exe" },
  { name: "👩\u200d💻.txt", kept: "attachments/👩\u200d💻.txt" },
  { name: "CLAUDE.local.md", kept: "attachments/attached-CLAUDE.local.md" },
])("an attachment named $name is saved as $kept", async ({ name, kept }) => {
  expect(await save(name, "hello")).toBe(kept);
  expect(readFileSync(path.join(sandboxRoot, kept), "utf8")).toBe("hello");
  expect(readdirSync(sandboxRoot)).toEqual(["attachments"]);
});

test.each([{ letter: "日" }, { letter: "😀" }, { letter: "x" }])(
  "a name of 200 times $letter is shortened and saved",
  async ({ letter }) => {
    const kept = await save(`${letter.repeat(200)}.txt`, "long");
    expect(kept).toMatch(new RegExp(`^attachments/(${letter})+\\.txt$`));
    expect(readFileSync(path.join(sandboxRoot, kept ?? ""), "utf8")).toBe("long");
  },
);

test("different content under a used name gets another name, equal content does not", async () => {
  await save("a.txt", "one");
  expect(await save("a.txt", "one")).toBe("attachments/a.txt");
  expect(await save("a.txt", "two")).toMatch(/^attachments\/a-[0-9a-f]{8}\.txt$/);
  expect(readFileSync(path.join(sandboxRoot, "attachments/a.txt"), "utf8")).toBe("one");
});

test.each([{ target: ".claude" }, { target: ".agents" }, { target: "extensions" }])(
  "nothing is saved if attachments/ is a link to $target of the root",
  async ({ target }) => {
    mkdirSync(path.join(sandboxRoot, target));
    symlinkSync(target, path.join(sandboxRoot, "attachments"));
    expect(await save("settings.json", "{}")).toBeNull();
    expect(readdirSync(path.join(sandboxRoot, target))).toEqual([]);
  },
);

test("nothing is saved, without an error, if the root cannot be created", async () => {
  rmSync(sandboxRoot, { recursive: true });
  writeFileSync(sandboxRoot, "");
  expect(await save("a.txt", "a")).toBeNull();
});

test("nothing is saved if attachments/ is a link to outside the root", async () => {
  const outside = mkdtempSync(path.join(tmpdir(), "deckhand-outside-"));
  symlinkSync(outside, path.join(sandboxRoot, "attachments"));
  expect(await save("a.txt", "x")).toBeNull();
  expect(existsSync(path.join(outside, "a.txt"))).toBe(false);
  rmSync(outside, { recursive: true, force: true });
});
