import { accessSync, constants, existsSync, realpathSync, type Stats } from "node:fs";
import path from "node:path";
import type { Log } from "../../core/protocol/log.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { visibleLine } from "../../core/skills/skill-text.ts";
import {
  type Skill,
  type SkillCatalogue,
  type SkillProblem,
  skillCatalogue,
  skillName,
} from "../../core/skills/skills.ts";
import { PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { readHead } from "../wasm/workspace/read-file.ts";
import { Refusal, unlessRefused } from "../wasm/workspace/refusal.ts";
import { commandFields, describedFields, isUndescribed } from "./command-file.ts";
import { commandFiles, eachSkillFolder, MAX_DEPTH, SKILL_FILE } from "./find-skills.ts";
import { type OwnSkillRoots, type SkillDirectory, skillDirectories } from "./skill-directories.ts";
import { type ParsedSkill, parseSkill, type SkillFile } from "./skill-parse.ts";

/** Maximum bytes of one SKILL.md; a longer file is no text for a prompt. */
const MAX_FILE = 262_144;
/** Maximum number of skill folders or commands read from one directory. */
const MAX_FOLDERS = 200;
const NO_FILE = "is not a regular file, or a symbolic link in its path points outside its directory";
const ODD_NAME = "is in a folder whose name contains line breaks or invisible characters";
const MISNAMED = `is not read: rename it to ${SKILL_FILE}, in capitals`;
/** Maximum characters of a path in a directory; each name is limited by file systems. */
const MAX_PATH = 255 * MAX_DEPTH;
/** Maximum number of parsed files to cache over all sandbox roots. */
const MAX_CACHED = 1_000;

/** `follows` selects the sandbox root's skills that may be followed; all if omitted. */
export type SkillReader = (sandboxRoot: string, follows?: (skill: Skill) => boolean) => SkillCatalogue;

/** Keyed by path and version of the file, so each version is parsed, and its faults logged, only once. */
type Cache = Map<string, { readonly version: string; readonly parsed: ParsedSkill }>;

/**
 * Creates a reader of the skills that apply in a sandbox root. Each call checks the files again and parses those that
 * changed.
 * All paths are verified: a link may lead elsewhere within its root, but never out of it. `fromPage` returns the skills
 * currently set on the page.
 */
export function createSkillReader(
  roots: OwnSkillRoots,
  log: Log,
  fromPage: () => readonly ParsedSkill[] = () => [],
): SkillReader {
  const cache: Cache = new Map();
  return (sandboxRoot, follows = () => true) => {
    const found = skillDirectories(sandboxRoot, roots).flatMap((directory) => {
      const read = readDirectory({ directory, cache, log });
      return directory.origin === "application" ? [...inFolders(fromPage(), read), ...read] : read;
    });
    const read = found.flatMap((parsed) => (parsed.type === "skill" ? [parsed.skill] : []));
    const problems = found.flatMap((parsed) => (parsed.type === "problem" ? [parsed.problem] : []));
    const { skills = [], waiting = [] } = Object.groupBy(read, (skill) =>
      skill.origin !== "project" || follows(skill) ? "skills" : "waiting",
    );
    return skillCatalogue(skills, [...problems, ...waiting.map(notAllowed)]);
  };
}

/** Reads the skills of the home and the shipped ones from their SKILL.md files, including overridden ones. */
export function createOwnSkillReader(roots: OwnSkillRoots, log: Log): () => readonly ParsedSkill[] {
  const cache: Cache = new Map();
  const directories = skillDirectories("", roots).filter(
    ({ origin, holds }) => origin !== "project" && holds === "folders",
  );
  return () => directories.flatMap((directory) => readDirectory({ directory, cache, log }));
}

/** A page's version of a shipped skill keeps the files beside the shipped SKILL.md. */
function inFolders(fromPage: readonly ParsedSkill[], shipped: readonly ParsedSkill[]): ParsedSkill[] {
  const folders = new Map(shipped.flatMap((one) => (one.type === "skill" ? [[one.skill.name, one.skill.folder]] : [])));
  return fromPage.map((one) =>
    one.type === "skill" ? { ...one, skill: { ...one.skill, folder: folders.get(one.skill.name) ?? "" } } : one,
  );
}

function notAllowed({ name, source }: Skill): SkillProblem {
  const reason = "can be followed only after somebody here has allowed it; the next request shows it";
  return { name, source, line: null, reason };
}

interface ReadScope {
  readonly directory: SkillDirectory;
  readonly cache: Cache;
  readonly log: Log;
}

function readDirectory(reading: ReadScope): ParsedSkill[] {
  const { root, directory, owner, holds } = reading.directory;
  // Most do not exist. `PathResolver` would create the root.
  if (!existsSync(path.join(root, directory))) return [];
  const closed = whyClosed(path.join(root, directory));
  if (closed !== null) return [problemOf({ source: `${directory}${owner}`, name: "", line: null, reason: closed })];
  using resolver = new PathResolver(root);
  const read: ParsedSkill[] = [];
  let unread = 0;
  let last = "";
  const visit = (found: string): boolean => {
    if (read.length === MAX_FOLDERS) {
      const isSkill = mayExist(resolver, fileOf(reading.directory, found));
      if (isSkill) unread += 1;
      return isSkill;
    }
    const parsed = readSkill(reading, resolver, found);
    if (parsed === null) return false;
    read.push(parsed);
    last = found;
    return true;
  };
  if (holds === "commands") for (const file of commandFiles(resolver, directory)) visit(file);
  else for (const file of eachSkillFolder(resolver, directory, visit)) read.push(misnamedProblem(reading, file));
  if (unread === 0) return read;
  const reason = `holds ${MAX_FOLDERS + unread} ${holds === "folders" ? "skills" : "commands"}, of which only the first ${MAX_FOLDERS} are read, up to ${visibleLine(last, MAX_PATH)}; remove those that nobody needs`;
  return [...read, problemOf({ source: `${directory}${owner}`, name: "", line: 1, reason })];
}

function misnamedProblem({ directory: { directory, owner } }: ReadScope, file: string): ParsedSkill {
  const source = `${directory}/${visibleLine(file, MAX_PATH)}${owner}`;
  const name = skillName(path.posix.basename(path.posix.dirname(file)));
  return problemOf({ source, name, line: 1, reason: MISNAMED });
}

/** The file of a skill or command, relative to the directory's root. */
function fileOf({ holds, directory }: SkillDirectory, found: string): string {
  return `${directory}/${found}${holds === "folders" ? `/${SKILL_FILE}` : ""}`;
}

/** True also if the folder is unreadable. */
function mayExist(resolver: PathResolver, file: string): boolean {
  return unlessRefused(() => resolver.find(file).stats !== null) ?? true;
}

/** Why a directory cannot be read; null if this user may read it. */
function whyClosed(directory: string): string | null {
  try {
    // The slash makes a file at that path an error.
    accessSync(`${directory}${path.sep}`, constants.R_OK | constants.X_OK);
    return null;
  } catch (error) {
    return `is not a directory that this user may read (${systemCode(error) ?? "unknown error"})`;
  }
}

/**
 * Reads one skill; null if there is none. `found` is the path of its folder or command file within the directory; a
 * command's name includes its folders.
 */
function readSkill(reading: ReadScope, resolver: PathResolver, found: string): ParsedSkill | null {
  const { cache, directory: given } = reading;
  const { holds, origin, root, directory, owner } = given;
  const isFolder = holds === "folders";
  const file = fileOf(given, found);
  const folderName = isFolder ? path.posix.basename(found) : found.slice(0, -".md".length);
  const seen = visibleLine(found, MAX_PATH);
  const source = `${fileOf(given, seen)}${owner}`;
  const name = skillName(folderName);
  const unread = (reason: string) => problemOf({ source, name, line: 1, reason });
  try {
    const { stats } = resolver.find(file);
    if (stats === null) return null;
    // The path is shown to models and people, where a line break could imitate a line of the bot's.
    if (seen !== found) return unread(ODD_NAME);
    const known = cache.get(path.join(root, source));
    if (known?.version === versionOf(stats)) return known.parsed;
    const { real } = resolver.directory(`${directory}/${isFolder ? found : "."}`);
    const place = origin === "project" ? path.relative(realpathSync(root), real) : real;
    const about = { folderName, origin, folder: isFolder ? place : "", source };
    return withFile(resolver.find(file), source, (fd, opened) => parseOpen(reading, { fd, stats: opened }, about));
  } catch (error) {
    // A folder without SKILL.md is no skill. Any other failure to read a file is reported for that file alone.
    if (systemCode(error) === "ENOENT" || systemCode(error) === "ENOTDIR") return null;
    // The error's own sentence would reveal where a link leads.
    if (error instanceof Refusal) return unread(NO_FILE);
    const code = systemCode(error);
    if (code === undefined) throw error;
    return unread(`cannot be read (${code})`);
  }
}

function parseOpen(
  { directory, cache, log }: ReadScope,
  { fd, stats }: { readonly fd: number; readonly stats: Stats },
  about: Omit<SkillFile, "text">,
): ParsedSkill {
  const parsed = parseText({ fd, stats, isCommand: directory.holds === "commands" }, about);
  if (cache.size >= MAX_CACHED) cache.clear();
  cache.set(path.join(directory.root, about.source), { version: versionOf(stats), parsed });
  if (parsed.type === "problem") log.warn({ ...parsed.problem, root: directory.root }, "skill_broken");
  else if (parsed.skill.ignoredNotes.length > 0)
    log.info({ source: about.source, passedOver: parsed.skill.ignoredNotes }, "skill_fields_passed_over");
  return parsed;
}

function versionOf({ ino, mtimeMs, ctimeMs, size }: Stats): string {
  return `${ino}:${mtimeMs}:${ctimeMs}:${size}`;
}

interface OpenFile {
  readonly fd: number;
  readonly stats: Stats;
  readonly isCommand: boolean;
}

function parseText({ fd, stats, isCommand }: OpenFile, about: Omit<SkillFile, "text">): ParsedSkill {
  const { source } = about;
  const name = skillName(about.folderName);
  const tooLarge = `is larger than ${MAX_FILE} bytes; move parts of it into files beside it, and say there when to read them`;
  if (stats.size > MAX_FILE) return problemOf({ source, name, line: 1, reason: tooLarge });
  const text = readHead(fd, stats.size).toString("utf8");
  if (text.includes("\0")) return problemOf({ source, name, line: 1, reason: "is not a text file" });
  const complete = isCommand ? commandFields : isUndescribed(text) ? describedFields : null;
  return parseSkill({ ...about, text, ...(complete === null ? {} : { complete }) });
}

function problemOf(problem: SkillProblem): ParsedSkill {
  return { type: "problem", problem };
}
