import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { SHELL_LIMITS } from "../../src/tools/wasm/capability.ts";
import type { BashRequest } from "../../wasm/guests/bash/request.ts";
import { FILES, SCRIPTS, type Script } from "./bash-scripts.ts";
import { fileSession, useSandbox } from "./file-session.ts";

const sandbox = useSandbox();

/** What people and models rely on; of error messages only whether there are any. */
interface Ended {
  readonly stdout: string;
  readonly exitCode: number | null;
  readonly complains: boolean;
}

const replySchema = z.object({
  exitCode: z.number(),
  stdout: z.object({ text: z.string() }),
  stderr: z.object({ text: z.string() }),
});

/** A directory with the scripts' files. */
function withFiles() {
  const session = fileSession(sandbox);
  for (const [file, content] of Object.entries(FILES)) session.put(file, content);
  return session;
}

async function inSandbox(command: string): Promise<Ended> {
  const { root, context } = withFiles();
  const request: BashRequest = {
    command,
    cwd: "",
    env: {},
    timeoutMs: 20_000,
    maxChars: 100_000,
    overflow: "x/y",
    seed: 1,
    bound: null,
    looks: false,
  };
  const caller = { ...context, signal: new AbortController().signal };
  const output = await sandbox.call("bash", JSON.stringify(request), { root, writable: true, ...SHELL_LIMITS }, caller);
  const { exitCode, stdout, stderr } = replySchema.parse(JSON.parse(output));
  return { stdout: stdout.text, exitCode, complains: stderr.text !== "" };
}

function inBash(command: string): Ended {
  const { root } = withFiles();
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin", HOME: root, LC_ALL: "C.UTF-8", TZ: "UTC" };
  const { error, stdout, stderr, status } = spawnSync("bash", ["-c", command], {
    cwd: root,
    env,
    encoding: "utf8",
    input: "",
  });
  if (error !== undefined)
    throw new Error("these tests compare with the system's bash, which must be installed", { cause: error });
  return { stdout: stdout.replaceAll(root, "/workspace"), exitCode: status, complains: stderr !== "" };
}

describe.each(Object.entries(SCRIPTS))("%s", (_, scripts) => {
  const agreeing = scripts.filter((script) => typeof script === "string");
  const differing = scripts.filter((script) => typeof script !== "string");

  test.each(agreeing)("as bash does it: %s", async (script) => {
    expect(await inSandbox(script)).toEqual(inBash(script));
  });

  test.each(differing)("otherwise than bash: %s (%s)", async (script) => {
    expect(await inSandbox(script)).not.toEqual(inBash(script));
  });
});

test("at least 150 scripts are compared", () => {
  const all: readonly Script[] = Object.values(SCRIPTS).flat();
  expect(all.length).toBeGreaterThanOrEqual(150);
  expect(new Set(all.map((script) => String(script))).size).toBe(all.length);
});
