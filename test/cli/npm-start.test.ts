import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { projectWith } from "../support/project.ts";

/** Stands in for the program: ends at SIGTERM, and anyway when nobody is left that it could answer. */
const PROGRAM = `
const end = (word) => { console.log(word); process.exit(); };
process.once("SIGTERM", () => end("stopped"));
process.stdin.once("end", () => end("left behind")).resume();
console.log("running");`;

test("a signal to npm start alone, as supervisors and containers send it, ends the program", async () => {
  const manifest = readFileSync(path.resolve(import.meta.dirname, "../../package.json"), "utf8");
  const cwd = projectWith({ "package.json": manifest, "bin/deckhand.mjs": PROGRAM });
  const npm = spawn("npm", ["start", "--silent"], { cwd, stdio: ["pipe", "pipe", "ignore"] });
  const said: string[] = [];
  npm.stdout.setEncoding("utf8").on("data", (text: string) => said.push(text));
  const [closed, exited] = [once(npm, "close"), once(npm, "exit")];
  await once(npm.stdout, "data");
  npm.kill("SIGTERM");
  await exited;
  npm.stdin.end();
  await closed;
  expect(said.join("")).toBe("running\nstopped\n");
});
