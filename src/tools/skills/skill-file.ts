import path from "node:path";
import type { Skill } from "../../core/skills/skills.ts";
import { createSecretGuard, refuseOpenSecret } from "../secrets/secret-files.ts";
import { listFiles } from "../wasm/workspace/list-files.ts";
import { PathResolver, type ResolvedPath, withFile } from "../wasm/workspace/path-resolver.ts";
import { comparableName, isBeneath, segmentsOf } from "../wasm/workspace/path-rules.ts";
import { type LineWindow, readLines } from "../wasm/workspace/read-file.ts";
import { Refusal, refusing, unlessRefused } from "../wasm/workspace/refusal.ts";

/** Maximum lines of a file returned at once. */
export const MAX_FILE_LINES = 1_000;
/** Maximum number of files named in the error for a missing file. */
const MAX_NAMED = 50;

export interface SkillFileRequest {
  readonly skill: Skill;
  readonly sandboxRoot: string;
  /** Relative to the skill's folder. */
  readonly file: string;
  /** First line, counted from 1. */
  readonly offset: number;
}

/** Reads lines of a file in the skill's folder. Throws Refusal if it is missing, not text or outside the folder. */
export function readSkillFile({ skill, sandboxRoot, file, offset }: SkillFileRequest): LineWindow {
  if (skill.folder === "") throw new Refusal(`The skill ${skill.name} has no files besides its text.`);
  if (skill.origin === "page") refuseOnPage(file);
  using resolver = new PathResolver(skill.origin === "project" ? sandboxRoot : skill.folder);
  const folder = skill.origin === "project" ? skill.folder : "";
  try {
    const window = refusing(file, () => {
      const place = findWithin(resolver, folder, file);
      return withFile(place, file, (fd) => {
        if (path.posix.normalize(file) !== "SKILL.md") refuseOpenSecret(createSecretGuard({}), place.relative, fd);
        return readLines(fd, offset, MAX_FILE_LINES);
      });
    });
    if (!window.wellFormed || window.text.includes("\0")) throw new Refusal(`${file} is not a text file.`);
    return window;
  } catch (error) {
    if (error instanceof Refusal) throw new Refusal(`${error.payload} ${filesOf(resolver, folder)}`);
    throw error;
  }
}

const SKILL_FILE = comparableName("SKILL.md");

/** The text set on the page replaces the whole SKILL.md of the folder. */
function refuseOnPage(file: string): void {
  if (comparableName(path.posix.normalize(file)) === SKILL_FILE)
    throw new Refusal(`Leave out \`file\` to get all of ${file}.`);
}

/** Maximum number of files of a folder that are examined. */
const MAX_FILES = 200;

export function skillFilePath({ source }: Skill, file: string): string {
  return path.posix.join(path.posix.dirname(source), file);
}

/** Text files beside a project skill's SKILL.md that are small enough to be returned at once. */
export function skillFiles(skill: Skill, sandboxRoot: string): { path: string; text: string; sha256: string }[] {
  if (skill.folder === "") return [];
  using resolver = new PathResolver(sandboxRoot);
  const options = { hidden: true, dependencies: true, maxEntries: MAX_FILES };
  // A missing or unreadable folder has no files that could be followed.
  const listed = unlessRefused(() => listFiles(resolver, skill.folder, options));
  return (listed?.paths ?? []).flatMap((found) => {
    const file = path.posix.relative(skill.folder, found);
    return file === "SKILL.md" ? [] : wholeFile({ skill, sandboxRoot, file, offset: 1 });
  });
}

function wholeFile(request: SkillFileRequest): ReturnType<typeof skillFiles> {
  try {
    const { text, totalLines, sha256 } = readSkillFile(request);
    return totalLines > MAX_FILE_LINES ? [] : [{ path: skillFilePath(request.skill, request.file), text, sha256 }];
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

/**
 * Finds a file within the skill's folder, which neither `..` nor a link may leave. The refusal does not reveal where a
 * link leads.
 */
function findWithin(resolver: PathResolver, folder: string, file: string): ResolvedPath {
  const outside = new Refusal(`${file} is outside the skill's folder; name a file relative to that folder.`);
  if (path.posix.isAbsolute(file) || path.posix.normalize(file).startsWith("..")) throw outside;
  const place = findOr(outside, () => resolver.find([folder, ...segmentsOf(file, [])].join("/").replace(/^\//, "")));
  if (folder !== "" && !isBeneath(folder, place.relative)) throw outside;
  return place;
}

function findOr(refusal: Refusal, find: () => ResolvedPath): ResolvedPath {
  try {
    return find();
  } catch (error) {
    throw error instanceof Refusal ? refusal : error;
  }
}

function filesOf(resolver: PathResolver, folder: string): string {
  const options = { hidden: false, dependencies: false, maxEntries: 500 };
  const { paths, cut } = unlessRefused(() => listFiles(resolver, folder, options)) ?? { paths: [], cut: true };
  if (paths.length === 0) return "The skill's files cannot be listed.";
  const names = paths.map((name) => path.posix.relative(folder, name)).sort();
  const more = cut || names.length > MAX_NAMED ? ", and more" : "";
  return `The skill's files: ${names.slice(0, MAX_NAMED).join(", ")}${more}.`;
}
