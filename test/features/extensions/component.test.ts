import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { recordingPosts } from "../../support/database/recording-posts.ts";
import { componentOf, type ExtensionSession, extensionSession, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox();
let component: Uint8Array = new Uint8Array();

beforeAll(async () => {
  component = await componentOf("probe.mjs", "component");
});

/** A session with the component as the tool `probe`. */
function probing(manifest: Readonly<Record<string, unknown>> = {}): ExtensionSession {
  const session = extensionSession(place);
  const own = { world: "deckhand:extension", arguments: undefined, input: { type: "object" } };
  session.add("probe", { ...own, ...manifest }, component);
  return session;
}

test("a component can read and list the files of the session", async () => {
  const session = probing();
  session.put("sub/a.txt", "\ufeffäöü");
  session.put(".hidden/b.txt", "b");
  expect(textOf((await session.run("probe", { deed: "read", path: "sub/a.txt" })).content)).toBe("\ufeffäöü");
  expect(textOf((await session.run("probe", { deed: "base64", path: "sub/a.txt" })).content)).toBe("77u/w6TDtsO8");
  expect(textOf((await session.run("probe", { deed: "list", path: "" })).content)).toBe("sub/a.txt");
});

test("files that a component writes are listed in the tool result", async () => {
  const session = probing({ permission: "write" });
  const result = await session.run("probe", { deed: "write", path: "new/deep/a.txt", text: "ä" });
  expect(readFileSync(path.join(session.root, "new/deep/a.txt"), "utf8")).toBe("ä");
  expect(result).toMatchObject({ isError: false, files: [{ path: "new/deep/a.txt", action: "wrote" }] });
});

const refused = [
  {
    name: "without the permission",
    permission: "read",
    readOnly: false,
    target: "a.txt",
    says: "Writing is not permitted here.",
  },
  {
    name: "for a read-only role",
    permission: "write",
    readOnly: true,
    target: "a.txt",
    says: "Writing is not permitted here.",
  },
  { name: "outside", permission: "write", readOnly: false, target: "../a.txt", says: "outside the sandbox" },
  { name: "through a link", permission: "write", readOnly: false, target: "link/a.txt", says: "outside the sandbox" },
  {
    name: "in .git",
    permission: "write",
    readOnly: false,
    target: ".git/hooks/pre-commit",
    says: "Tools cannot read, write or create `.git`",
  },
  {
    name: "to what instructs agents",
    permission: "write",
    readOnly: false,
    target: "sub/AGENTS.md",
    says: "AGENTS.md",
  },
];

test.each(refused)("a component cannot write $name", async ({ permission, readOnly, target, says }) => {
  const session = probing({ permission });
  symlinkSync("..", path.join(session.root, "link"));
  const result = await session.run("probe", { deed: "write", path: target, text: "mine" }, { readOnly });
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toContain(says);
  expect(readdirSync(session.root).filter((name) => name !== "sub")).toEqual(["link"]);
  expect(existsSync(path.join(session.root, "sub/AGENTS.md"))).toBe(false);
  expect(readdirSync(path.dirname(session.root)).sort()).toEqual(["root", "tools"]);
});

test.each(["../secret.txt", "/etc/passwd", "link/secret.txt", ".git/config", "absent"])(
  "a component cannot read %s",
  async (file) => {
    const session = probing();
    writeFileSync(path.join(path.dirname(session.root), "secret.txt"), "top secret");
    symlinkSync("..", path.join(session.root, "link"));
    session.put(".git/config", "top secret");
    for (const deed of ["read", "base64"]) {
      const result = await session.run("probe", { deed, path: file });
      expect(result.isError).toBe(true);
      expect(textOf(result.content)).not.toMatch(/top secret|root:/);
    }
  },
);

const runaways = [
  { deed: "spin", limits: { timeoutMs: 3_000 }, says: "Stopped after 3 s" },
  { deed: "fill", limits: { memoryMb: 16 }, says: "out of memory" },
  { deed: "fail", limits: {}, says: "a defect" },
];

test.each(runaways)(
  "a component that does `$deed` is terminated, and the next call works",
  async ({ deed, limits, says }) => {
    const session = probing({ limits });
    const result = await session.run("probe", { deed });
    expect(result.isError).toBe(true);
    expect(textOf(result.content)).toContain(says);
    expect(textOf((await session.run("probe", { deed: "say", answer: { text: "fine" } })).content)).toBe("fine");
  },
);

const answers = [
  { name: "no JSON", answer: "hello" },
  { name: "no object", answer: "[1]" },
  { name: "neither text nor image", answer: {} },
  {
    name: "an image of another kind",
    answer: { images: [{ name: "a.svg", mediaType: "image/svg+xml", base64: "PHN2Zy8+" }] },
  },
  {
    name: "an image that is not base64",
    answer: { images: [{ name: "a.png", mediaType: "image/png", base64: "<png>" }] },
  },
];

const shams = [
  { name: "other bytes than it says", base64: "R0lGODlhAQ==" },
  { name: "no bytes", base64: "" },
];

test.each(shams)("an image with $name is refused, because models accept none", async ({ base64 }) => {
  const answer = { images: [{ name: "a.png", mediaType: "image/png", base64 }] };
  const result = await probing().run("probe", { deed: "say", answer });
  expect(result).toMatchObject({ isError: true, summary: "no valid answer" });
});

test("names of posted images are sanitised", async () => {
  const { thread, files } = recordingPosts();
  const base64 = Buffer.from("\x89PNG\r\n\x1a\n", "latin1").toString("base64");
  const names = ["../../etc/passwd", "a`@everyone`.png", ".hidden", "x".repeat(200), "photo.JPG"];
  const images = names.map((name) => ({ name, mediaType: "image/png", base64 }));
  await probing().run("probe", { deed: "say", answer: { images } }, { thread });
  expect(files().map(({ name }) => name)).toEqual([
    "passwd.png",
    "a__everyone_.png",
    "hidden.png",
    `${"x".repeat(80)}.png`,
    "photo.png",
  ]);
});

test.each(answers)("an invalid answer with $name is an error that names the component", async ({ answer }) => {
  const result = await probing().run("probe", { deed: "say", answer });
  expect(result).toMatchObject({ isError: true, summary: "no valid answer" });
});

test("an answer larger than the limit is refused", async () => {
  const result = await probing({ limits: { outputBytes: 1_000 } }).run("probe", {
    deed: "say",
    answer: { text: "x".repeat(2_000) },
  });
  expect(textOf(result.content)).toContain("larger than 1000 bytes");
});

test("each call runs in a new instance without state of earlier calls", async () => {
  const session = probing();
  for (let call = 0; call < 3; call++)
    expect(textOf((await session.run("probe", { deed: "remember" })).content)).toBe("1");
});
