import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import path from "node:path";
import { staleSteps } from "../../src/launch/freshness.mjs";
import { BUILT_PROGRAM, STEPS } from "../../src/launch/steps.mjs";
import { nodePackage, runtimePackages } from "./packages.ts";

/**
 * Parts of a checkout that the program reads: itself; the inputs of its build, by which a start recognises that
 * everything is complete; and what `deckhand init` copies.
 */
export const PARTS = [
  ".env.example",
  "LICENSE",
  "bin",
  "deckhand.config.schema.json",
  "extensions",
  "package.json",
  "prisma",
  "scripts",
  "src",
  "wasm",
];

/** Built artefacts outside the sources, and the record by which a start recognises them. */
const BUILT = ["build/made.json", ...new Set(STEPS.flatMap(({ artefact }) => /^build\/[^/]+/u.exec(artefact) ?? []))];

const NODE = `node_modules/${nodePackage()}`;
const SQLITE = "node_modules/better-sqlite3";

/** Code compiled by one user's starts in one place, and what packages contain for compilers. */
const LEFT_OUT = [
  `${BUILT_PROGRAM}/compiled`,
  ...["include", "share", "CHANGELOG.md"].map((part) => `${NODE}/${part}`),
  ...["deps", "src"].map((part) => `${SQLITE}/${part}`),
];

/** Folder of binaries, one for each platform. */
const PREBUILDS = `${SQLITE}/prebuilds/`;

export interface ReleasePlan {
  /** The project's directory. */
  readonly root: string;
  /** The directory to create. */
  readonly target: string;
  /** Puts a file into place. */
  readonly place: (from: string, to: string) => void;
}

/**
 * Creates a directory that contains what the program needs on this platform at run time, and nothing else. If something
 * is not built, returns its names and creates nothing.
 */
export function makeRelease({ root, target, place }: ReleasePlan): readonly string[] {
  const unbuilt = staleSteps(root).map(({ name }) => name);
  if (unbuilt.length > 0) return unbuilt;

  const put = (file: string): void => {
    if (isLeftOut(file)) return;
    const [from, to] = [path.join(root, file), path.join(target, file)];
    const stats = lstatSync(from);
    mkdirSync(path.dirname(to), { recursive: true });
    if (stats.isSymbolicLink()) symlinkSync(readlinkSync(from), to);
    else if (stats.isFile()) place(from, to);
    else {
      for (const name of readdirSync(from)) put(`${file}/${name}`);
    }
  };
  for (const part of [...PARTS, ...BUILT, ...runtimePackages(root)]) put(part);
  mkdirSync(path.join(target, "node_modules/.bin"));
  symlinkSync(`../${nodePackage()}/bin/node`, path.join(target, "node_modules/.bin/node"));
  symlinkSync("../../bin/deckhand.mjs", path.join(target, "node_modules/.bin/deckhand"));
  return staleSteps(target).map(({ name }) => name);
}

/** Nested packages are listed by themselves if they are needed. */
function isLeftOut(file: string): boolean {
  if (file.startsWith(PREBUILDS)) return !file.startsWith(`${PREBUILDS}${process.platform}-${process.arch}.`);
  return LEFT_OUT.includes(file) || file.endsWith("/node_modules");
}
