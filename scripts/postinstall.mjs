import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { nodeProblem, requireNode } from "../src/cli/node-version.mjs";

/**
 * Hands over to postinstall.ts on Node 24. npm 10 forgets to link the platform package's `node` when it
 * leaves out the other platforms' packages, which have a program of the same name: it is linked here, so
 * that npm scripts find it.
 */
const modules = fileURLToPath(new URL("../node_modules", import.meta.url));
const packaged = path.join(modules, `node-${process.platform}-${process.arch}`, "bin/node");
const link = path.join(modules, ".bin/node");

if (process.platform !== "win32" && existsSync(packaged) && !existsSync(link)) {
  mkdirSync(path.dirname(link), { recursive: true });
  symlinkSync(path.relative(path.dirname(link), packaged), link);
}

if (nodeProblem(process.versions.node) === null) {
  await import("./postinstall.ts");
} else if (existsSync(packaged)) {
  const script = fileURLToPath(new URL("postinstall.ts", import.meta.url));
  process.exitCode = spawnSync(packaged, [script], { stdio: "inherit" }).status ?? 1;
} else {
  requireNode();
}
