/**
 * Reports what a start would say of an extension's folder or a component: `node scripts/inspect-tool.ts
 * extensions/tools/<name>`. Without an argument, lists what the shipped guests import.
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type Bindings, bindingsOf } from "../src/features/extensions/bindings.ts";
import { readManifest } from "../src/features/extensions/manifest.ts";
import { binaryProblem, mismatch } from "../src/features/extensions/worlds.ts";

const root = path.resolve(import.meta.dirname, "..");

function printGuests(): void {
  for (const file of globSync("build/wasm/*/build.json", { cwd: root }).sort()) {
    const { imports } = JSON.parse(readFileSync(path.join(root, file), "utf8"));
    console.log(
      `${path.basename(path.dirname(file))}: ${imports.length === 0 ? "imports nothing" : imports.join(", ")}`,
    );
  }
}

async function inspect(asked: string): Promise<void> {
  if (!existsSync(asked)) return refuse(`there is no file or folder ${asked}`);
  const folder = statSync(asked).isDirectory() ? asked : path.dirname(asked);
  const described = path.join(folder, "tool.json");
  const read = existsSync(described) ? readManifest(readFileSync(described, "utf8")) : null;
  const named = read !== null && "manifest" in read ? read.manifest.component : "component.wasm";
  const file = statSync(asked).isDirectory() ? path.join(folder, named) : asked;
  const bytes = readFileSync(file);
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  console.log(`${file}\n  sha256   ${sha256}\n  bytes    ${bytes.length}`);
  const damage = binaryProblem(bytes);
  if (damage !== null) return refuse(damage);
  const made = await withBindings({ file, sha256 });
  console.log(`  imports  ${made.imports.join("\n           ") || "nothing"}`);
  console.log(`  exports  ${made.exports.filter((name) => name.includes("@")).join("\n           ") || "nothing"}`);
  if (read === null) return;
  if ("problem" in read) return refuse(read.problem);
  console.log(`  hosts    ${read.manifest.hosts.join("\n           ") || "none"}`);
  if (read.manifest.sha256 !== sha256) return refuse(`tool.json says ${read.manifest.sha256}`);
  const wrong = mismatch(read.manifest, made);
  if (wrong !== null) return refuse(wrong);
  console.log(`✓ ${read.manifest.name} would be loaded`);
}

async function withBindings(component: { readonly file: string; readonly sha256: string }): Promise<Bindings> {
  const cacheDir = await mkdtemp(path.join(tmpdir(), "deckhand-inspect-"));
  try {
    return await bindingsOf(component, { cacheDir });
  } finally {
    await rm(cacheDir, { recursive: true });
  }
}

function refuse(why: string): void {
  console.log(`✗ ${why}`);
  process.exitCode = 1;
}

const [asked] = process.argv.slice(2);
if (asked === undefined) printGuests();
else await inspect(asked);
