import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, readlinkSync, symlinkSync } from "node:fs";
import path from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { projectWith } from "../support/project.ts";

const PACKAGE = `node-${process.platform}-${process.arch}`;
const PROGRAM = `
const [what] = process.argv.slice(2);
if (what === "wait") { process.once("SIGTERM", () => process.exit(7)); setInterval(() => {}, 1000); }
if (what === "die") process.kill(process.pid, "SIGKILL");
process.stdout.write(what);
if (what === "fail") process.exitCode = 3;`;

/** Makes a project whose installed Node is the one that runs the tests. */
function installed(): string {
  const root = projectWith({ "a place/program.mjs": PROGRAM, [`node_modules/${PACKAGE}/bin/empty`]: "" });
  symlinkSync(process.execPath, path.join(root, `node_modules/${PACKAGE}/bin/node`));
  return root;
}

function launch(root: string, what: string) {
  const script = path.join(import.meta.dirname, "on-old-node.mjs");
  const args = [script, root, path.join(root, "a place/program.mjs"), what];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"] });
}

async function ended(root: string, what: string) {
  const child = launch(root, what);
  const [out, error, [code, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { out, error, code, signal };
}

describe("under an old Node", () => {
  test("the program runs on the installed Node, and its exit status is passed on", async () => {
    const root = installed();
    expect(await ended(root, "work")).toEqual({ out: "work", error: "", code: 0, signal: null });
    expect(await ended(root, "fail")).toEqual({ out: "fail", error: "", code: 3, signal: null });
    expect(await ended(root, "die")).toMatchObject({ error: "", signal: "SIGKILL" });
  });

  test("a signal is passed on to the program", async () => {
    const child = launch(installed(), "wait");
    const exited = once(child, "exit");
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    expect(await exited).toEqual([7, null]);
  });

  test("the installed Node is linked where supervisors look for it", async () => {
    const root = installed();
    await ended(root, "work");
    expect(readlinkSync(path.join(root, "node_modules/.bin/node"))).toBe(`../${PACKAGE}/bin/node`);
  });

  test("an installed Node that cannot run here is reported with the remedy, and a failed link is ignored", async () => {
    const node = `node_modules/${PACKAGE}/bin/node`;
    const root = projectWith({ "a place/program.mjs": PROGRAM, [node]: "#!/no/such/interpreter" });
    chmodSync(path.join(root, node), 0o755);
    symlinkSync("nowhere/at/all", path.join(root, "node_modules/.bin"));
    const { error, code } = await ended(root, "work");
    const said = `${path.join(root, node)} does not run on this system (ENOENT). Deckhand needs Node 24.14 `;
    expect({ error, code }).toEqual({ error: expect.stringContaining(said), code: 1 });
  });

  test("if npm has no Node for the system, one line says so", async () => {
    const root = projectWith({ "node_modules/.package-lock.json": "" });
    mkdirSync(path.join(root, "a place"));
    const { error, code } = await ended(root, "work");
    expect({ error, code }).toEqual({ error: expect.stringMatching(/^Deckhand needs Node 24\.14 .*\n$/u), code: 1 });
  });
});

describe("package.json and .npmrc", () => {
  const project = path.resolve(import.meta.dirname, "../..");
  const { scripts } = JSON.parse(readFileSync(path.join(project, "package.json"), "utf8"));

  test("npm runs no install scripts of packages", () => {
    expect(readFileSync(path.join(project, ".npmrc"), "utf8").split("\n")).toContain("ignore-scripts=true");
  });

  test("no script is an install hook, and all start through the launcher", () => {
    const isHook = (name: string) => /^(?:pre|post)|^(?:install|prepare)$/u.test(name);
    const isPast = (command: string) => !/^node bin\/run\.mjs |^exec .* bin\/deckhand\.mjs$/u.test(command);
    const wrong = Object.entries<string>(scripts).filter(([name, command]) => isHook(name) || isPast(command));
    expect(wrong).toEqual([]);
  });
});
