import { chmodSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { inputHashes, staleSteps, storeHashes } from "../../src/launch/freshness.mjs";
import { STEPS } from "../../src/launch/steps.mjs";
import { type MadeUpProject, madeUpProject } from "./made-up-project.ts";

const NOBODY = process.getuid?.() === 0 ? 65_534 : undefined;

let project: MadeUpProject;
beforeEach(async () => {
  project = await madeUpProject();
});

/** Names of the steps that an undisturbed build makes. */
async function rebuilt(): Promise<readonly string[]> {
  project.letGo();
  expect(await project.build().ended).toMatchObject({ code: 0 });
  return project.letGo();
}

test("all is made at first, and nothing again", async () => {
  expect(await rebuilt()).toEqual(["hull", "mast"]);
  expect(project.read("build/mast")).toBe("mast of fir");
  expect(await rebuilt()).toEqual([]);
});

test.each([
  ["an input of one part", () => project.write("mast.txt", "steel"), ["mast"]],
  ["an input of what another part is made of", () => project.write("hull.txt", "steel"), ["hull", "mast"]],
  ["the installed packages", () => project.write("node_modules/.package-lock.json", "two"), ["hull", "mast"]],
  ["nothing but the time of an input", () => project.write("hull.txt", "oak"), []],
  ["an artefact that is gone", () => rmSync(path.join(project.root, "build/mast")), ["mast"]],
])("of what is there, %s decides what is made anew", async (_, change, expected) => {
  await rebuilt();
  change();
  expect(await rebuilt()).toEqual(expected);
  expect(await rebuilt()).toEqual([]);
});

test("of three builds at once one builds, and the others say that they wait", async () => {
  const first = project.build();
  const hull = await project.nextStep();
  const others = [project.build(), project.build()];
  await Promise.all(others.map((other) => other.printed("Another process is building Deckhand")));
  hull.finish();
  project.letGo();
  const ends = await Promise.all([first, ...others].map(({ ended }) => ended));
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(ends.filter(({ output }) => output.includes("✓ hull"))).toHaveLength(1);
});

describe("a build that is killed", () => {
  /** Kills a build whose step has written half of its file. */
  async function killHalfWay(): Promise<void> {
    const killed = project.build();
    const hull = await project.nextStep();
    process.kill(killed.pid, "SIGKILL");
    await Promise.all([killed.ended, hull.gone]);
    expect(project.read("build/hull")).toBe("half");
  }

  test("ends its steps and leaves its place to the next, which does what was cut off", async () => {
    await killHalfWay();
    expect(await rebuilt()).toEqual(["hull", "mast"]);
    expect(project.read("build/hull")).toBe("hull of oak");
  });

  test("does not pass for the one before it, when its inputs are put back", async () => {
    const sources = project.read("hull.txt");
    const before = project.build();
    (await project.nextStep()).finish();
    (await project.nextStep()).finish();
    expect(await before.ended).toMatchObject({ code: 0 });

    project.write("hull.txt", "steel");
    await killHalfWay();
    project.write("hull.txt", sources);
    await rebuilt();
    expect(project.read("build/hull")).toBe("hull of oak");
  });

  test("is not waited for by one that waits already", async () => {
    const killed = project.build();
    const hull = await project.nextStep();
    const waiting = project.build();
    await waiting.printed("Another process is building Deckhand");
    project.letGo();
    process.kill(killed.pid, "SIGKILL");
    await hull.gone;
    expect(await waiting.ended).toMatchObject({ code: 0 });
    expect(project.read("build/hull")).toBe("hull of oak");
  });
});

test("a build that fails says which part, with what was printed, and leaves what is made of it", async () => {
  project.write("hull.txt", "broken");
  const { code, output } = await project.build().ended;
  expect({ code, output }).toEqual({
    code: 1,
    output: expect.stringMatching(/✗ hull: make\.mjs .* failed\.\nno such colour\n$/u),
  });
  expect(project.letGo()).toEqual([]);
  project.write("hull.txt", "oak");
  expect(await rebuilt()).toEqual(["hull", "mast"]);
});

test("without the tool, what a release brought along will do as long as it is of these sources", async () => {
  await rebuilt();
  rmSync(path.join(project.root, "node_modules"), { recursive: true });
  expect(await project.build().ended).toEqual({ code: 0, output: "" });
  project.write("hull.txt", "steel");
  const { code, output } = await project.build().ended;
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("and so is tool, which builds it.") });
});

describe("where nothing can be written", () => {
  async function asReader() {
    for (const file of ["build", "."]) chmodSync(path.join(project.root, file), 0o555);
    const end = await project.build(NOBODY).ended;
    for (const file of ["build", "."]) chmodSync(path.join(project.root, file), 0o755);
    return end;
  }

  test("what is current is used", async () => {
    await rebuilt();
    expect(await asReader()).toEqual({ code: 0, output: "" });
  });

  test("a note that finds no place is none, and stops nothing", () => {
    const [step] = STEPS.filter(({ after }) => after.length === 0).map((each) => ({ ...each, inputs: ["hull.txt"] }));
    const [root, steps] = [project.root, step === undefined ? [] : [{ ...step, tool: "tool", artefact: "mast.txt" }]];
    mkdirSync(path.join(root, `build/glanced.new-${process.pid}/x`), { recursive: true });
    storeHashes(root, inputHashes(root, steps));
    const old = new Date(Date.now() - 60_000);
    for (const file of ["hull.txt", "node_modules/.package-lock.json"]) utimesSync(path.join(root, file), old, old);
    expect(staleSteps(root, steps)).toEqual([]);
  });

  test("what is old is told, and what to do", async () => {
    await rebuilt();
    project.write("hull.txt", "steel");
    const { code, output } = await asReader();
    expect(code).toBe(1);
    expect(output).toBe(
      `Deckhand has to be built anew (hull), and ${project.root} cannot be written by this user.\n` +
        "Run `npm run build` there as the user who installed it.\n",
    );
  });
});
