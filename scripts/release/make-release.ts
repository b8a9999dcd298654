import { lstatSync, mkdirSync, readdirSync, readlinkSync, symlinkSync } from "node:fs";
import path from "node:path";
import { staleSteps } from "../../src/launch/freshness.mjs";
import { BUILT_PROGRAM, STEPS } from "../../src/launch/steps.mjs";
import { nodePackage, runtimePackages } from "./packages.ts";

/**
 * What of a checkout the program reads: itself; what it is built of, by which a start knows that all is whole; and what
 * `deckhand init` copies.
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

/** What is built, beside what lies among the sources: the directories of its artefacts, and what a start knows them by. */
const BUILT = ["build/made.json", ...new Set(STEPS.flatMap(({ artefact }) => /^build\/[^/]+/u.exec(artefact) ?? []))];

const NODE = `node_modules/${nodePackage()}`;
const SQLITE = "node_modules/better-sqlite3";

/** What one user's start has compiled at one place, and what packages bring for whoever compiles them or against them. */
const LEFT_OUT = [
  `${BUILT_PROGRAM}/compiled`,
  ...["include", "share", "CHANGELOG.md"].map((part) => `${NODE}/${part}`),
  ...["deps", "src"].map((part) => `${SQLITE}/${part}`),
];

/** A binary for each platform. */
const PREBUILDS = `${SQLITE}/prebuilds/`;

export interface ReleasePlan {
  /** The project's directory. */
  readonly root: string;
  /** The directory that is made. */
  readonly target: string;
  /** Puts a file in its place. */
  readonly place: (from: string, to: string) => void;
}

/**
 * Makes a directory that holds what the program needs on this platform at run time, and nothing else. Returns the names
 * of what is not built; then nothing is made.
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

/** Packages within a package are in the list by themselves, as far as they are needed. */
function isLeftOut(file: string): boolean {
  if (file.startsWith(PREBUILDS)) return !file.startsWith(`${PREBUILDS}${process.platform}-${process.arch}.`);
  return LEFT_OUT.includes(file) || file.endsWith("/node_modules");
}
