import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { STEPS } from "./steps.mjs";

/**
 * Whether what is built belongs to what it is built of. Contents decide, as hashes that the build has written down: a
 * checkout, a copy and an image all give files new times. Since no start should read a thousand files, a second
 * record holds their times and sizes; while these are the same, nothing is read.
 */

/** Hashes of what each step was made of. */
const MADE = "build/made.json";
/** Names, times and sizes of all inputs when they were last found to be those of MADE, as one hash. */
const GLANCED = "build/glanced";
/** What npm has installed. */
const PACKAGES = "node_modules/.package-lock.json";

/** A file that is written twice within this time may keep its time and size: it is read next time. Seconds. */
const CLOCK_GRAIN_S = 2;

/**
 * The steps whose artefacts are missing or made of other inputs. Takes some ten milliseconds.
 * @param {string} root the project's directory
 * @param {readonly import("./steps.mjs").Step[]} steps all there are
 */
export function staleSteps(root, steps = STEPS) {
  const missing = steps.filter(({ artefact }) => !existsSync(path.join(root, artefact)));
  const glance = glanceAt(root, steps);
  if (missing.length === 0 && readOrEmpty(root, GLANCED) === glance.hash) return [];

  const made = madeIn(root);
  const prints = printsOf(root, steps);
  const isCurrent = ({ name, tool }) => isSame(made[name], prints[name], isInstalled(root, tool));
  const stale = steps.filter((step) => missing.includes(step) || !isCurrent(step));
  if (stale.length === 0) keepGlance(root, glance);
  return stale;
}

/** What a build has written down, by the name of the step. */
export function madeIn(root) {
  const text = readOrEmpty(root, MADE);
  return text === "" ? {} : JSON.parse(text);
}

/** Nobody ever reads half of it. */
export function keepMade(root, made) {
  replaceFile(root, MADE, `${JSON.stringify(made, null, 2)}\n`);
}

/** Hashes of what each step would be made of now, by the name of the step. */
export function printsOf(root, steps = STEPS) {
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

/** Without its tool a step cannot be done: then what a release brought along need only be of these sources. */
function isSame(made, now, canBeMade) {
  if (!canBeMade) return made === undefined || made.sources === now.sources;
  return made !== undefined && made.sources === now.sources && made.packages === now.packages;
}

/**
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

/** Whoever cannot write, on a full disk for one, reads the contents at each start: some twenty milliseconds. */
function keepGlance(root, { hash, newest }) {
  if (newest > Date.now() / 1000 - CLOCK_GRAIN_S) return;
  try {
    replaceFile(root, GLANCED, hash);
  } catch {
    // It only saves time.
  }
}

/** Each file once, with whole seconds: images and archives keep no more of a time. */
function filesOf(root, inputs) {
  const found = new Map();
  const lookInto = (folder) => {
    for (const entry of readdirSync(`${root}/${folder}`, { withFileTypes: true })) {
      const file = `${folder}/${entry.name}`;
      // What editors leave while they save begins with a dot.
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
