import { expect, test } from "vitest";
import { copied } from "./copied.ts";

test("scripts that a package would run are left to a person, and the rest of package.json is merged", async () => {
  const of = (more: object) => `${JSON.stringify({ name: "heron", ...more }, null, 2)}\n`;
  const base = {
    "package.json": of({ scripts: {} }),
    "b/package.json": of({ dependencies: {}, description: "b", scripts: {} }),
    "c/package.json": of({ dependencies: {} }),
  };
  const evil = { scripts: { postinstall: "evil" } };
  const theirs = {
    "package.json": of(evil),
    "b/package.json": of({ dependencies: {}, description: "b", ...evil }),
    "c/package.json": of({ dependencies: { zod: "4" } }),
    "d/package.json": of(evil),
  };
  const here = { "b/package.json": of({ dependencies: { zod: "4" }, description: "b", scripts: {} }) };
  const at = await copied(base, { theirs, here });
  const why = "it changes what developers' machines run, so a person must change it";
  expect(await at.merge()).toMatchObject([
    { path: "b/package.json", outcome: "left out", why },
    { path: "c/package.json", outcome: "merged" },
    { path: "d/package.json", outcome: "left out", why },
    { path: "package.json", outcome: "left out", why },
  ]);
  expect(at.read("package.json")).toBe(base["package.json"]);
  expect(at.read("b/package.json")).toBe(here["b/package.json"]);
  expect(at.read("c/package.json")).toContain("zod");
  expect(at.read("d/package.json")).toBeNull();
});

test("files protected by the settings are left to a person", async () => {
  const at = await copied({ deploy: "a\n" }, { theirs: { deploy: "b\n" } });
  const { files } = await at.run("call_1", { guardedFiles: ["deploy"] });
  expect(files).toMatchObject([{ path: "deploy", outcome: "left out" }]);
  expect(at.read("deploy")).toBe("a\n");
});
