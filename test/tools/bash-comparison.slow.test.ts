import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { FILES, SCRIPTS, type Script } from "./bash-scripts.ts";
import { COMMAND_SCRIPTS } from "./bash-scripts-commands.ts";
import { EXPANSION_SCRIPTS } from "./bash-scripts-expansion.ts";
import { LOCALE_SCRIPTS } from "./bash-scripts-locale.ts";
import { SHELL_SCRIPTS } from "./bash-scripts-shells.ts";
import { fileSession, text, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();
const ALL = { ...SCRIPTS, ...COMMAND_SCRIPTS, ...EXPANSION_SCRIPTS, ...SHELL_SCRIPTS, ...LOCALE_SCRIPTS };

/** What people and models rely on; error messages count only by whether there are any. */
interface Ended {
  readonly stdout: string;
  readonly exitCode: number;
  readonly complains: boolean;
}

const textOf = (script: Script) => (typeof script === "string" ? script : script[0]);

/**
 * Runs, in each given directory, the script beside it. One shell runs a whole group, because starting a shell or a
 * guest takes longer than most scripts.
 */
const RUN_ALL = `for at in "$@"; do
  IFS= read -r -d "" script < "$at.script"
  (cd "$at" && HOME=$PWD exec bash -c "$script") > "$at.stdout" 2> "$at.stderr" < /dev/null
  echo $? > "$at.code"
done`;

/** How the scripts end in the sandbox, and in the system's bash. */
async function endingsOf(
  scripts: readonly string[],
): Promise<readonly { readonly ours: Ended; readonly bash: Ended }[]> {
  const [sandboxed, native] = [fileSession(sandbox), fileSession(sandbox)];
  const places = scripts.map((_, index) => `at-${String(index).padStart(3, "0")}`);
  for (const session of [sandboxed, native]) {
    for (const [index, place] of places.entries()) {
      session.put(`${place}.script`, scripts[index] ?? "");
      for (const [file, content] of Object.entries(FILES)) session.put(`${place}/${file}`, content);
    }
  }
  const command = `set -- $(printf '/workspace/at-%03d ' {0..${scripts.length - 1}}); ${RUN_ALL}`;
  expect(text(await sandboxed.run("bash", { command }))).toMatch(/^exit code 0/u);
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", LC_ALL: "C.UTF-8", TZ: "UTC" };
  const directories = places.map((place) => path.join(native.root, place));
  // Process substitutions may outlive their script. They hold this pipe open, so that its end is theirs.
  const { error } = spawnSync("bash", ["-c", `exec 19>&1; ${RUN_ALL}`, "bash", ...directories], { env });
  if (error !== undefined)
    throw new Error("these tests compare with the system's bash, which must be installed", { cause: error });
  const ended = (root: string, shown: string, place: string): Ended => {
    const read = (what: string) => readFileSync(path.join(root, `${place}.${what}`), "utf8");
    const stdout = read("stdout").replaceAll(`${shown}/${place}`, "/workspace");
    return { stdout, exitCode: Number(read("code")), complains: read("stderr") !== "" };
  };
  return places.map((place) => ({
    ours: ended(sandboxed.root, "/workspace", place),
    bash: ended(native.root, native.root, place),
  }));
}

test.each(Object.entries(ALL))("%s works as in bash, except for the documented differences", async (_, scripts) => {
  const endings = await endingsOf(scripts.map(textOf));
  for (const [index, script] of scripts.entries()) {
    const { ours, bash } = endings[index] ?? expect.fail("it was run");
    if (typeof script === "string") expect.soft(ours, script).toEqual(bash);
    else expect.soft(ours, `no longer otherwise: ${script.join(": ")}`).not.toEqual(bash);
  }
});

test("at least 150 scripts are compared", () => {
  const all = Object.values(ALL).flat().map(textOf);
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(new Set(all).size).toBe(all.length);
});
