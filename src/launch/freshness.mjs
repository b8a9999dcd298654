import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { STEPS } from "./steps.mjs";

/**
 * Checks whether the build is up to date. Contents decide, through hashes that the build has stored, because a
 * checkout, a copy and an image all change file times. To avoid reading a thousand files at each start, a second record
 * holds their times and sizes; while these are unchanged, nothing is read.
 */

/** Hashes of each step's inputs when it was built. */
const MADE = "build/made.json";
/** One hash of all inputs' names, times and sizes when they last matched MADE. */
const GLANCED = "build/glanced";
/** npm's record of the installed packages. */
const PACKAGES = "node_modules/.package-lock.json";

/** A file written twice within this time may keep its time and size, so it is read again next time. In seconds. */
const CLOCK_GRAIN_S = 2;

/**
 * The steps whose artefacts are missing or built from other inputs. Takes some ten milliseconds.
 * @param {string} root the project's directory
 * @param {readonly import("./steps.mjs").Step[]} steps all there are
 */
export function staleSteps(root, steps = STEPS) {
  const missing = steps.filter(({ artefact }) => !existsSync(path.join(root, artefact)));
  const glance = glanceAt(root, steps);
  if (missing.length === 0 && readOrEmpty(root, GLANCED) === glance.hash) return [];

  const made = builtHashes(root);
  const prints = inputHashes(root, steps);
  const isCurrent = ({ name, tool }) => isSame(made[name], prints[name], isInstalled(root, tool));
  const stale = steps.filter((step) => missing.includes(step) || !isCurrent(step));
  if (stale.length === 0) keepGlance(root, glance);
  return stale;
}

/** Hashes stored by the last build, by step. */
export function builtHashes(root) {
  const text = readOrEmpty(root, MADE);
  return text === "" ? {} : JSON.parse(text);
}

/** Stores the hashes atomically. */
export function storeHashes(root, made) {
  replaceFile(root, MADE, `${JSON.stringify(made, null, 2)}\n`);
}

/** Hashes of each step's current inputs, by step. */
export function inputHashes(root, steps = STEPS) {
  const packages = hashOf([readOrEmpty(root, PACKAGES)]);
  const contents = new Map();
  const contentOf = (file) => {
    if (!contents.has(file)) contents.set(file, hashOf([readFileSync(path.join(root, file))]));
    return contents.get(file);
  };
  return Object.fromEntries(
    steps.map(({ name, inputs }) => {
      const files = filesOf(root, inputs).map(({ file }) => file);
      return [name, { sources: hashOf(files.map((file) => `${file} ${contentOf(file)}\n`).sort()), packages }];
    }),
  );
}

/** Whether a step is up to date. Without its tool it cannot be rebuilt; then only the sources have to match. */
function isSame(made, now, canBeMade) {
  if (!canBeMade) return made === undefined || made.sources === now.sources;
  return made !== undefined && made.sources === now.sources && made.packages === now.packages;
}

/**
 * Whether a package is installed.
 * @param {string} root
 * @param {string} name of a package
 */
export function isInstalled(root, name) {
  return existsSync(path.join(root, "node_modules", name, "package.json"));
}

function glanceAt(root, steps) {
  const files = filesOf(root, [...steps.flatMap(({ inputs }) => inputs), PACKAGES]);
  const lines = files.map(({ file, seconds, bytes }) => `${file} ${seconds} ${bytes}\n`);
  const newest = files.reduce((latest, { seconds }) => Math.max(latest, seconds), 0);
  return { hash: hashOf([readOrEmpty(root, MADE), ...lines.sort()]), newest };
}

/** Stores the glance. If that fails, as on a full disk, each start reads the contents: some twenty milliseconds. */
function keepGlance(root, { hash, newest }) {
  if (newest > Date.now() / 1000 - CLOCK_GRAIN_S) return;
  try {
    replaceFile(root, GLANCED, hash);
  } catch {
    // The glance only saves time.
  }
}

/** All input files, once each, with times in whole seconds, since images and archives keep no more. */
function filesOf(root, inputs) {
  const found = new Map();
  const lookInto = (folder) => {
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const file = `${folder}/${entry.name}`;
      // Temporary files of editors begin with a dot.
      if (entry.name.startsWith(".") || found.has(file)) continue;
      if (entry.isDirectory()) lookInto(file);
      else look(file);
    }
  };
  const look = (file) => {
    const stats = statSync(`${root}/${file}`, { throwIfNoEntry: false });
    if (stats === undefined || found.has(file)) return;
    if (stats.isDirectory()) return lookInto(file);
    found.set(file, { file, seconds: Math.floor(stats.mtimeMs / 1000), bytes: stats.size });
  };
  for (const input of inputs) look(input);
  return [...found.values()];
}

function readOrEmpty(root, file) {
  try {
    return readFileSync(path.join(root, file), "utf8");
  } catch (error) {
    if (error?.code === "ENOENT") return "";
    throw error;
  }
}

function replaceFile(root, file, content) {
  const target = path.join(root, file);
  const written = `${target}.new-${process.pid}`;
  try {
    writeFileSync(written, content);
    renameSync(written, target);
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  }
}

function hashOf(parts) {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}
