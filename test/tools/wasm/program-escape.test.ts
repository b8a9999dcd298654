import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { linkSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { createWorkspace } from "../../../src/tools/wasm/workspace/workspace.ts";
import { type FileSession, fileSession, text, useSandbox } from "../file-session.ts";
import { flipping, trying } from "./flipping.ts";

/** What programs can do to files beyond what the file tools can: bash and js_exec share one interface to the host. */
const sandbox = useSandbox();
const SECRET = "top secret";

/** A root with a secret beside it, and links that lead there. */
function besideSecret(options: Parameters<typeof fileSession>[1] = {}): FileSession {
  const session = fileSession(sandbox, options);
  const outside = path.join(path.dirname(session.root), "outside");
  mkdirSync(outside);
  writeFileSync(path.join(outside, "secret.txt"), SECRET);
  session.put("inside.txt", "fine");
  session.put(".git/config", "[core]");
  const link = (target: string, name: string): void => symlinkSync(target, path.join(session.root, name));
  link("../outside", "relative");
  link(outside, "absolute");
  link("../outside/secret.txt", "file");
  link("../outside/absent.txt", "dangling");
  link("round", "round");
  link("/proc/self", "proc");
  link(".git", "repository");
  return session;
}

function unharmed(session: FileSession): void {
  const outside = path.join(session.root, "../outside");
  expect(readdirSync(outside)).toEqual(["secret.txt"]);
  expect(readFileSync(path.join(outside, "secret.txt"), "utf8")).toBe(SECRET);
  expect(readdirSync(path.join(session.root, ".git"))).toEqual(["config"]);
  expect(session.bytes(".git/config").toString()).toBe("[core]");
}

const PATHS = [
  "../outside/secret.txt",
  "../../../../../../etc/passwd",
  "<root>/../outside/secret.txt",
  "/etc/passwd",
  "/proc/self/environ",
  "/proc/1/environ",
  "relative/secret.txt",
  "absolute/secret.txt",
  "file",
  "dangling",
  "round",
  "proc/environ",
  "proc/root/etc/passwd",
  "proc/fd/0",
  "repository/config",
  ".git/config",
  ".GIT/config",
  "inside.txt/x",
  "d/".repeat(100),
  // Longer than a name and than a path may be.
  "n".repeat(300),
  `${"n".repeat(250)}/`.repeat(16),
];

test.each(PATHS)("bash can neither read, write, move nor remove anything at %j", async (file) => {
  const session = besideSecret();
  const at = file.replace("<root>", session.root);
  const command = [
    `p='${at}'`,
    'cat "$p"; head -1 "$p"; grep . "$p"; cat < "$p"; source "$p"; ls "$p/"',
    'cp "$p" got.txt; mv "$p" got.txt; cp inside.txt "$p"; echo mine > "$p"; echo mine >> "$p"; touch "$p"',
    'mkdir "$p/new"; mkdir -p "$p/new/deep"; tee "$p" < inside.txt; sed -i s/top/mine/ "$p"; gzip -f "$p"; ln "$p" got2.txt',
    'find "$p" -delete; rm -f "$p/secret.txt"; rm -rf "$p/."; truncate -s 0 "$p"; chmod 777 "$p"',
  ].join("; ");
  const result = await session.run("bash", { command });
  expect(result.summary, "all commands were tried").not.toContain("stopped");
  expect(JSON.stringify(result)).not.toMatch(/top secret|root:x:|\[core\]/);
  unharmed(session);
});

/** No command of bash holds a NUL, and the shell takes minutes to look up 2,000 directories. */
test.each([...PATHS, "d/".repeat(2_000), "inside.txt\0.png"])(
  "js_exec can neither read, write, move nor remove anything at %j",
  async (file) => {
    const session = besideSecret();
    const code = `
    const p = ${JSON.stringify(file.replace("<root>", session.root))};
    const tries = {
      read: () => fs.readFileSync(p, "utf8"), list: () => fs.readdirSync(p), stat: () => fs.statSync(p).size,
      write: () => fs.writeFileSync(p, "mine"), append: () => fs.appendFileSync(p, "mine"),
      copy: () => { fs.copyFileSync(p, "got.txt"); return fs.readFileSync("got.txt", "utf8") },
      move: () => fs.renameSync(p, "got2.txt"), onto: () => fs.renameSync("inside.txt", p),
      make: () => fs.mkdirSync(p + "/new", { recursive: true }), remove: () => fs.rmSync(p + "/secret.txt"),
      import: () => import(p),
    };
    const got = [];
    for (const [name, work] of Object.entries(tries)) {
      try { got.push(name + ": " + JSON.stringify(await work())); } catch (error) { got.push(name + " failed"); }
    }
    got`;
    const result = await session.run("js_exec", { code });
    expect(text(result)).toContain("read failed");
    expect(text(result)).toContain("list failed");
    expect(JSON.stringify(result)).not.toMatch(/top secret|root:x:|\[core\]/);
    unharmed(session);
  },
);

test("links are removed and moved as links, not followed to outside, and never created", async () => {
  const session = besideSecret();
  symlinkSync("inside.txt", path.join(session.root, "alias"));
  symlinkSync("inside.txt", path.join(session.root, "other"));
  const result = await session.run("bash", {
    command:
      "rm alias; mv other moved; rm -rf relative file; ln -s ../outside new; ln -s /etc/passwd new2; ln inside.txt hard",
  });
  expect(text(result)).toContain("Links cannot be made in the sandbox");
  const names = readdirSync(session.root).filter((name) =>
    /^(alias|other|moved|relative|file|new|new2|hard)$/.test(name),
  );
  expect(names).toEqual(["moved"]);
  expect(session.bytes("inside.txt").toString()).toBe("fine");
  unharmed(session);
});

test("a link into .git stays closed on repeated attempts", () => {
  const session = besideSecret();
  const workspace = createWorkspace();
  const { filesystem, functions } = workspace;
  workspace.bind({ root: session.root, writable: true });
  for (let round = 0; round < 3; round++) {
    expect(() => filesystem.readFile("repository/config")).toThrow(/Tools cannot read, write or create `.git`/);
    expect(() => functions.readWhole("repository/config")).toThrow(/Tools cannot read, write or create `.git`/);
    expect(() => filesystem.writeFile("repository/new", "x", false)).toThrow(
      /Tools cannot read, write or create `.git`/,
    );
  }
  workspace.close();
  unharmed(session);
});

test("removing everything removes neither the targets of links nor the repository", async () => {
  const session = besideSecret();
  await session.run("bash", { command: "rm -rf * .git /workspace; rm -rf /workspace/; find . -delete" });
  unharmed(session);
});

test("a hard link to an outside file is replaced, and the outside file is unchanged", async () => {
  const session = besideSecret();
  const secret = path.join(session.root, "../outside/secret.txt");
  linkSync(secret, path.join(session.root, "shared.txt"));
  await session.run("bash", { command: "echo more >> shared.txt; echo x > inside.txt" });
  await session.run("js_exec", { code: 'fs.appendFileSync("shared.txt", "!")' });
  expect(session.bytes("shared.txt").toString()).toBe(`${SECRET}more\n!`);
  unharmed(session);
});

test("Unicode variants of a name are different files, and variants of .git are refused", async () => {
  const session = fileSession(sandbox);
  const command =
    "echo a > caf\u00e9; echo b > cafe\u0301; echo x > .git; echo x > .GIT; mkdir .g\u200cit; mkdir 'GIT~1'; echo y > '.git '";
  const result = await session.run("bash", { command });
  expect(text(result)).toContain("Tools cannot read, write or create `.git`");
  expect(readdirSync(session.root).toSorted()).toEqual(["cafe\u0301", "caf\u00e9"]);
});

test("pipes, sockets and devices are listed, but neither opened nor replaced", async () => {
  const session = fileSession(sandbox);
  session.put("f.txt", "x");
  execFileSync("mkfifo", [path.join(session.root, "pipe")]);
  symlinkSync("/dev/zero", path.join(session.root, "zero"));
  const server = createServer().listen(path.join(session.root, "socket"));
  await once(server, "listening");
  for (const name of ["pipe", "socket", "zero"]) {
    const command = `cat ${name} && echo READ; echo x > ${name} && echo WROTE; cp f.txt ${name} && echo COPIED; true`;
    const result = await session.run("bash", { command, timeout: 10 });
    expect(text(result), name).not.toMatch(/READ|WROTE|COPIED/);
    expect(result.summary, name).not.toContain("stopped");
  }
  server.close();
});

describe("under a read-only grant", () => {
  test("bash can read but not change anything", async () => {
    const session = besideSecret({ context: { readOnly: true } });
    const before = readdirSync(session.root);
    const result = await session.run("bash", {
      command:
        "cat inside.txt; echo; echo > inside.txt; : >> inside.txt; rm inside.txt; mv inside.txt b; mkdir d; touch inside.txt; cp inside.txt c; sed -i d inside.txt; seq 20000",
    });
    expect(text(result)).toContain("[Writing is not permitted here.]");
    expect(text(result)).toContain("the rest could not be saved");
    expect(result.files).toBeUndefined();
    expect(readdirSync(session.root)).toEqual(before);
    expect(session.bytes("inside.txt").toString()).toBe("fine");
  });

  test("js_exec can read but not change anything", async () => {
    const session = besideSecret({ context: { readOnly: true } });
    const before = readdirSync(session.root);
    const names = ["writeFileSync", "appendFileSync", "rmSync", "mkdirSync", "copyFileSync", "renameSync"];
    const code = `${JSON.stringify(names)}.filter((name) => { try { fs[name]("inside.txt", "b"); return true } catch { return false } })`;
    const result = await session.run("js_exec", { code });
    expect(text(result)).toBe("=> []\n[Writing is not permitted here.]");
    expect(readdirSync(session.root)).toEqual(before);
    expect(session.bytes("inside.txt").toString()).toBe("fine");
  });
});

test("swapping directories for links to outside while programs run exposes nothing", async () => {
  const session = fileSession(sandbox);
  const { outside, stop } = await flipping(session, SECRET);
  const workspace = createWorkspace();
  const { filesystem } = workspace;
  const works: Readonly<Record<string, () => unknown>> = {
    read: () => filesystem.readFile("flip/f.txt"),
    list: () => filesystem.entries("flip"),
    write: () => filesystem.writeFile("flip/f.txt", "inside", false),
    append: () => filesystem.writeFile("flip/g.txt", "x", true),
    make: () => filesystem.makeDirectory("flip/d", false),
    remove: () => filesystem.remove("flip/d", true),
    rename: () => filesystem.rename("flip/g.txt", "flip/h.txt"),
    copy: () => filesystem.copyFile("flip/f.txt", "copy.txt"),
    status: () => filesystem.status("flip/h.txt", true).size,
  };
  const seen = new Set<string>();
  const succeeded = new Set<string>();
  const refused = "The path is outside the sandbox; use a path relative to its root.";
  const goesOn = trying();
  while (goesOn(seen.has(refused) && succeeded.size === Object.keys(works).length)) {
    for (const [name, work] of Object.entries(works)) {
      workspace.bind({ root: session.root, writable: true });
      const got = attempt(work);
      if (got.ok) succeeded.add(name);
      seen.add(got.text);
      workspace.close();
    }
  }
  stop();
  expect(succeeded).toEqual(new Set(Object.keys(works)));
  expect([...seen].filter((text) => text.includes(SECRET))).toEqual([]);
  expect(seen).toContain(refused);
  expect(readdirSync(outside)).toEqual(["f.txt"]);
  expect(readFileSync(path.join(outside, "f.txt"), "utf8")).toBe(SECRET);
});

function attempt(work: () => unknown): { ok: boolean; text: string } {
  try {
    return { ok: true, text: String(work()) };
  } catch (error) {
    return { ok: false, text: error instanceof Error ? error.message : String(error) };
  }
}

test("programs see neither the environment, the arguments nor the machine", async () => {
  const session = fileSession(sandbox);
  const bash = await session.run("bash", {
    command: "env; set; whoami; hostname; uname -a; cat /proc/*/* /proc/self/*; ls -la / /tmp; echo $$ $PPID $0",
  });
  const js = await session.run("js_exec", {
    code: "[typeof process, typeof require, typeof Deno, typeof WebAssembly, Object.getOwnPropertyNames(globalThis).join(' '), new Error('x').stack]",
  });
  for (const shown of [text(bash), text(js)]) {
    expect(shown).not.toContain(session.root);
    expect(shown).not.toContain(process.cwd());
    expect(shown).not.toMatch(new RegExp(`NODE_CHANNEL|PATH=${process.env.PATH}`));
  }
  expect(text(js)).toContain('["undefined", "undefined", "undefined", "undefined"');
});
