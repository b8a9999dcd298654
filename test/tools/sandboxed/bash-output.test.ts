import { symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { fileSession, text, useSandbox } from "../file-session.ts";

const sandbox = useSandbox();

test("the command behind exec > >(…) reads all that the script printed", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("bash", {
    command: "exec > >(tee log | tr a-z A-Z) 2>&1; echo a; echo b >&2; exit 3",
  });
  expect(text(result)).toBe("exit code 3\nstdout:\nA\nB");
  expect(session.bytes("log").toString()).toBe("a\nb\n");
});

test("find's %Y prints the type of a link's target", async () => {
  const session = fileSession(sandbox);
  session.put("d/f", "x");
  for (const [name, target] of Object.entries({ a: "d/f", b: "d", c: "nowhere" }))
    symlinkSync(target, path.join(session.root, name));
  const result = await session.run("bash", { command: "find . -mindepth 1 -printf '%P %y %Y\\n' | sort" });
  expect(text(result)).toBe("exit code 0\nstdout:\na l f\nb l d\nc l N\nd d d\nd/f f f");
});

test("readlink, ls and stat print a link's target as the shell names it", async () => {
  const session = fileSession(sandbox);
  session.put("d/f", "x");
  for (const [name, target] of Object.entries({ a: "d/f", up: "/etc/passwd" }))
    symlinkSync(target, path.join(session.root, name));
  const command = "readlink a; cat $(readlink a); echo; ls -l a | grep -o 'a ->.*'; stat -c '%N %F' a up d/f";
  const expected = [
    "/workspace/d/f",
    "x",
    "a -> /workspace/d/f",
    "'a' -> '/workspace/d/f' symbolic link",
    "'up' -> '' symbolic link",
    "'d/f' regular file",
  ];
  expect(text(await session.run("bash", { command }))).toContain(`exit code 0\nstdout:\n${expected.join("\n")}`);
});

test("rm of a link removes the link, and none behind whose name a slash follows", async () => {
  const session = fileSession(sandbox);
  session.put("d/f", "x");
  for (const name of ["a", "b"]) symlinkSync("d", path.join(session.root, name));
  await session.run("bash", { command: "rm -r a; rm -rf b/" });
  expect(text(await session.run("bash", { command: "ls; cat d/f" }))).toBe("exit code 0\nstdout:\nb\nd\nx");
});

test("rm with an empty name, the working directory or the root removes nothing", async () => {
  const session = fileSession(sandbox);
  session.put("d/f", "x");
  for (const target of ['"$unset"', ".", "..", '"$unset/"', "./.", "../d/."]) {
    const result = await session.run("bash", {
      command: `cd d; rm -rf ${target}; cat f; [ -e "$unset" ] || echo none`,
    });
    expect(text(result), target).toContain("stdout:\nxnone");
  }
});

test("a call that recurses too deeply is told so, and what it has changed remains", async () => {
  const session = fileSession(sandbox);
  const result = await session.run("bash", {
    command: "echo x > made; jq -n 'reduce range(9999) as $_ ([]; [.]) | tojson | fromjson | flatten'",
  });
  expect(text(result)).toContain("Stopped: the call recursed too deeply");
  expect(session.bytes("made").toString()).toBe("x\n");
});
