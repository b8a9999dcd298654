import { chmodSync, mkdirSync, rmSync, utimesSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
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

test("the first build makes everything, and the second nothing", async () => {
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
])("a change of %s decides which parts are rebuilt", async (_, change, expected) => {
  await rebuilt();
  change();
  expect(await rebuilt()).toEqual(expected);
  expect(await rebuilt()).toEqual([]);
});

test("on a small machine one part is built after the other", async () => {
  const independent = project.read("steps.json").replace('"after":["hull"]', '"after":[]');
  project.write("steps.json", independent.replace('"mast","mast.txt"', '"mast","build/hull"'));
  const { ended } = project.build({ atOnce: 1 });
  const hull = await project.nextStep();
  const mast = project.nextStep();
  await Promise.race([mast, pause(500)]);
  hull.finish();
  (await mast).finish();
  expect(await ended).toMatchObject({ code: 0 });
  expect(project.read("build/mast")).toBe("mast of hull of oak");
});

test("of three concurrent builds one builds, and the others say that they wait", async () => {
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

  test("ends its steps and releases its lock to the next, which builds the unfinished parts", async () => {
    await killHalfWay();
    expect(await rebuilt()).toEqual(["hull", "mast"]);
    expect(project.read("build/hull")).toBe("hull of oak");
  });

  test("does not leave a part that counts as current once the inputs are restored", async () => {
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

  test("is not awaited by a build that is already waiting", async () => {
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

test("a failed build names the part and its output, and keeps the other artefacts", async () => {
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

test("without the build tool a release's artefacts are used as long as they match the sources", async () => {
  await rebuilt();
  rmSync(path.join(project.root, "node_modules"), { recursive: true });
  expect(await project.build().ended).toEqual({ code: 0, output: "" });
  project.write("hull.txt", "steel");
  const { code, output } = await project.build().ended;
  expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining("and so is tool, which builds it.") });
});

describe("in a read-only directory", () => {
  async function asReader() {
    for (const file of ["build", "."]) chmodSync(path.join(project.root, file), 0o555);
    const end = await project.build(NOBODY === undefined ? {} : { user: NOBODY }).ended;
    for (const file of ["build", "."]) chmodSync(path.join(project.root, file), 0o755);
    return end;
  }

  test("current artefacts are used", async () => {
    await rebuilt();
    expect(await asReader()).toEqual({ code: 0, output: "" });
  });

  test("hashes that cannot be stored are ignored, and the build continues", () => {
    const [step] = STEPS.filter(({ after }) => after.length === 0).map((each) => ({ ...each, inputs: ["hull.txt"] }));
    const [root, steps] = [project.root, step === undefined ? [] : [{ ...step, tool: "tool", artefact: "mast.txt" }]];
    mkdirSync(path.join(root, `build/glanced.new-${process.pid}/x`), { recursive: true });
    storeHashes(root, inputHashes(root, steps));
    const old = new Date(Date.now() - 60_000);
    for (const file of ["hull.txt", "node_modules/.package-lock.json"]) utimesSync(path.join(root, file), old, old);
    expect(staleSteps(root, steps)).toEqual([]);
  });

  test("stale artefacts are reported, with the remedy", async () => {
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
