/**
 * Builds each component of the repository twice from source and compares the results: `npm run compare-builds`, or `npm
 * run compare-builds -- files chart` for some. What reviewers rely on must be equal: the bundle, the imports, the code.
 * The memory stored in a component differs, and the script prints how much (docs/adr/0004).
 */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { guestSources } from "../wasm/build.ts";
import { exampleSources } from "../wasm/build-examples.ts";
import { buildComponent, type ComponentSource } from "../wasm/component.ts";
import { differencesOf } from "./component-differences.ts";

const sources = [...guestSources(), ...exampleSources()];
const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !sources.some((source) => source.name === name));
if (unknown.length > 0) {
  console.error(`There is no component ${unknown.join(", ")}. Known: ${sources.map(({ name }) => name).join(", ")}.`);
  process.exitCode = 1;
} else {
  for (const source of sources) if (asked.length === 0 || asked.includes(source.name)) await compare(source);
}

async function compare(source: ComponentSource): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), "deckhand-builds-"));
  try {
    const build = (name: string): Promise<Build> => buildIn(source, path.join(folder, name));
    const [one, other] = await Promise.all([build("one"), build("other")]);
    await report(source.name, one, other);
  } finally {
    await rm(folder, { recursive: true });
  }
}

interface Build {
  readonly bundle: Buffer;
  readonly component: Buffer;
}

async function buildIn(source: ComponentSource, folder: string): Promise<Build> {
  await mkdir(folder);
  const { bundle, component } = await buildComponent(source, folder);
  return { bundle: await readFile(bundle), component: await readFile(component) };
}

async function report(name: string, one: Build, other: Build): Promise<void> {
  const { imports, parts, memory } = await differencesOf(one.component, other.component);
  console.log(`${name}: ${one.component.length} and ${other.component.length} bytes`);
  const hashes = [one, other].map(({ bundle }) => createHash("sha256").update(bundle).digest("hex"));
  judge("bundle", new Set(hashes).size === 1 ? [] : hashes, `, sha256 ${hashes[0]}`);
  judge("imports", imports);
  judge("code", parts);
  const { size, differing, places } = memory;
  console.log(`  · stored memory: ${differing} of ${size} bytes differ, in ${places} places`);
}

/** Reports whether a part is equal, with details in either case. */
function judge(what: string, differences: readonly string[], more = ""): void {
  const isEqual = differences.length === 0;
  console.log(isEqual ? `  ✓ ${what}: equal${more}` : `  ✗ ${what}: ${differences.join("; ")}`);
  if (!isEqual) process.exitCode = 1;
}
