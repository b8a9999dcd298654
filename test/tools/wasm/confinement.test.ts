import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { SHELL_LIMITS } from "../../../src/tools/wasm/capability.ts";
import { createConfinement } from "../../../src/tools/wasm/confinement.ts";
import { createSandbox, type Sandbox } from "../../../src/tools/wasm/sandbox.ts";
import type { SandboxOptions } from "../../../src/tools/wasm/sandbox-options.ts";
import { buildGuests, SANDBOX_CHILD } from "../../support/program/built.ts";
import { freePort } from "../../support/program/free-port.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { fileSession, text } from "../file-session.ts";

const NO_PLACES = { writable: [], readable: [], hidden: [] };

/** Why the system cannot confine a process; null if it can. */
const missing = await createConfinement(NO_PLACES, false).problem();

interface Machine {
  readonly base: string;
  readonly root: string;
  readonly sandbox: Sandbox;
}

/** A home with a database and tokens, and the sandbox roots beneath it. */
function machine(options: SandboxOptions = {}, more: readonly string[] = []): Machine {
  const base = path.join(tempDirectory(), "home");
  const root = path.join(base, "sandbox/web-1");
  mkdirSync(root, { recursive: true });
  writeFileSync(path.join(base, "deckhand.db"), "rows");
  writeFileSync(path.join(base, "web-token"), "token");
  const writable = [path.join(base, "sandbox"), path.join(base, "snapshots"), ...more];
  const confinement = createConfinement({ writable, readable: [], hidden: [base] }, true);
  const sandbox = createSandbox({ ...SANDBOX_CHILD, snapshots: path.join(base, "snapshots"), confinement, ...options });
  onTestFinished(() => sandbox.close());
  return { base, root, sandbox };
}

const HOLE: SandboxOptions = { childFile: path.join(import.meta.dirname, "any-code-child.mjs") };

function run({ root, sandbox }: Pick<Machine, "root" | "sandbox">, code: string): Promise<string> {
  const capability = { root, writable: true, ...SHELL_LIMITS };
  const caller = { sessionId: "s", channelKey: "c", signal: new AbortController().signal, queued: () => {} };
  return sandbox.call("any", code, capability, caller);
}

const READ = (file: string) =>
  `const fs = await load("node:fs"); return fs.readFileSync(${JSON.stringify(file)}, "utf8")`;

describe.skipIf(missing !== null)("native code in the confined child", () => {
  test("can access the sandbox roots, but not the database or tokens beside them", async () => {
    const here = machine(HOLE);
    writeFileSync(path.join(here.root, "notes.txt"), "milk");
    expect(await run(here, READ(path.join(here.root, "notes.txt")))).toBe("milk");
    expect(await run(here, READ(path.join(here.base, "deckhand.db")))).toBe("ENOENT");
    expect(await run(here, READ(path.join(here.base, "web-token")))).toBe("ENOENT");
    expect(await run(here, `return (await load("node:fs")).readdirSync(${JSON.stringify(here.base)}).join()`)).toBe(
      "sandbox,snapshots",
    );
  });

  test("sees the home directory as empty, even if a root is above it", async () => {
    const above = tempDirectory();
    const home = path.join(above, "data");
    mkdirSync(home);
    writeFileSync(path.join(home, "deckhand.db"), "rows");
    writeFileSync(path.join(above, "code.txt"), "code");
    const places = { writable: [above], readable: [], hidden: [home] };
    const snapshots = path.join(above, "snapshots");
    const confinement = createConfinement(places, true);
    const { sandbox } = machine({ ...HOLE, snapshots, confinement });
    expect(await run({ root: above, sandbox }, READ(path.join(above, "code.txt")))).toBe("code");
    expect(await run({ root: above, sandbox }, READ(path.join(home, "deckhand.db")))).toBe("ENOENT");
  });

  test.each([
    ["the bot's own environment", READ("/proc/1/environ")],
    ["the environment of the bot by its id", READ(`/proc/${process.pid}/environ`)],
    ["the machine's accounts", READ("/etc/passwd")],
    ["keys of the user", `return (await load("node:fs")).readdirSync((await load("node:os")).userInfo().homedir)`],
    ["this project's sources", READ(path.resolve(import.meta.dirname, "../../../package.json"))],
  ])("cannot read %s", async (_, code) => {
    const said = await run(machine(HOLE), code);
    expect(said).not.toMatch(/PATH=|root:x|deckhand/);
  });

  test("cannot connect to this machine", async () => {
    const server = createServer((_, response) => response.end("inside"));
    const port = await freePort();
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const code = `return await (await fetch("http://127.0.0.1:${port}")).text()`;
    expect(await run(machine(HOLE), code)).not.toContain("inside");
    expect(await run(machine({ ...HOLE, confinement: OFF }), code)).toBe("inside");
  });

  test("cannot signal processes, gain privileges, or write elsewhere", async () => {
    const here = machine(HOLE);
    expect(await run(here, `process.kill(${process.pid}, 0); return "there"`)).toBe("ESRCH");
    expect(await run(here, READ("/proc/self/status"))).toMatch(/NoNewPrivs:\s+1[^]*|CapEff:\s+0+\n[^]*NoNewPrivs:\s+1/);
    const outside = path.join(path.dirname(here.base), "left.txt");
    const write = (file: string) =>
      `(await load("node:fs")).writeFileSync(${JSON.stringify(file)}, "x"); return "left"`;
    await run(here, write(outside));
    expect(existsSync(outside)).toBe(false);
    expect(await run(here, write(path.join(import.meta.dirname, "left.mjs")))).toBe("EROFS");
  });

  test("gains no access by replacing a root with a link", async () => {
    const here = machine(HOLE);
    const link = path.join(here.base, "sandbox/web-2");
    await run(here, `(await load("node:fs")).symlinkSync(${JSON.stringify(here.base)}, ${JSON.stringify(link)})`);
    const code = READ(path.join(here.base, "deckhand.db"));
    await expect(run({ root: link, sandbox: here.sandbox }, code)).rejects.toThrow("is outside what the sandbox");
    expect(await run(here, code)).toBe("ENOENT");
  });
});

const OFF = { isRequired: false, problem: async () => "off", view: () => ({ bwrap: "", args: [], mounts: [] }) };

describe.skipIf(missing !== null)("tools in a confined child", () => {
  test("can read, write, edit, search and run, and their changes persist", async () => {
    await buildGuests();
    const { root, base, sandbox } = machine();
    const session = fileSession(sandbox, { context: { sandboxRoot: root } });
    session.put("a.txt", "one\n");
    expect(text(await session.run("read", { path: "a.txt" }))).toContain("one");
    await session.run("edit", { path: "a.txt", old_string: "one", new_string: "two" });
    await session.run("write", { path: "sub/b.txt", content: "three\n" });
    expect(text(await session.run("grep", { pattern: "two|three", output_mode: "content" }))).toMatch(/two[^]*three/);
    expect(text(await session.run("bash", { command: "cat a.txt sub/b.txt" }))).toContain("two\nthree");
    expect(readFileSync(path.join(root, "sub/b.txt"), "utf8")).toBe("three\n");
    expect(existsSync(path.join(base, "snapshots"))).toBe(true);
  });

  test("can use a root that was recreated, or created after the child's start", async () => {
    await buildGuests();
    const bound = path.join(tempDirectory(), "checkout");
    const { sandbox, root } = machine({}, [bound]);
    await fileSession(sandbox, { context: { sandboxRoot: root } }).run("write", { path: "a.txt", content: "1" });
    const session = fileSession(sandbox, { context: { sandboxRoot: bound } });
    await session.run("write", { path: "a.txt", content: "first" });
    expect(readFileSync(path.join(bound, "a.txt"), "utf8")).toBe("first");
    rmSync(bound, { recursive: true });
    mkdirSync(bound);
    await session.run("write", { path: "b.txt", content: "second" });
    expect(readFileSync(path.join(bound, "b.txt"), "utf8")).toBe("second");
  });

  test("can use a root through the link that the settings name", async () => {
    await buildGuests();
    const base = tempDirectory();
    const link = path.join(base, "link");
    mkdirSync(path.join(base, "real"));
    symlinkSync(path.join(base, "real"), link);
    const { sandbox } = machine({}, [link]);
    const session = fileSession(sandbox, { context: { sandboxRoot: link } });
    await session.run("write", { path: path.join(link, "a.txt"), content: "by the link" });
    expect(readFileSync(path.join(base, "real/a.txt"), "utf8")).toBe("by the link");
  });
});

describe("if the system does not support confinement", () => {
  const absent = (isRequired: boolean) => createConfinement(NO_PLACES, isRequired, null);
  const broken = (isRequired: boolean) => createConfinement(NO_PLACES, isRequired, "/bin/false");

  test.each([
    ["bubblewrap is missing", absent, /is not installed/],
    ["it fails", broken, /cannot confine a process here/],
  ])("the problem is named, and calls run unless confinement is required: %s", async (_, confinement, says) => {
    expect(await confinement(false).problem()).toMatch(says);
    expect(await run(machine({ ...HOLE, confinement: confinement(false) }), "return 1 + 1")).toBe("2");
    const required = run(machine({ ...HOLE, confinement: confinement(true) }), "return 1 + 1");
    await expect(required).rejects.toThrow("does not confine");
  });
});
