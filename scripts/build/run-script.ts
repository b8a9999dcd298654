import { spawn } from "node:child_process";

const END_WITH_PARENT = new URL("end-with-parent.mjs", import.meta.url).href;

export interface Ended {
  /** Null if a signal ended the script or it could not be started. */
  readonly code: number | null;
  /** Output of both streams. */
  readonly output: string;
}

/** Runs a script on the current Node, in a process that does not outlive this one. */
export function runScript(
  args: readonly string[],
  { cwd, env }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
): Promise<Ended> {
  const child = spawn(process.execPath, ["--import", END_WITH_PARENT, ...args], { cwd, env, stdio: "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  return new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, output: error.message }));
    child.once("close", (code) => resolve({ code, output }));
  });
}
