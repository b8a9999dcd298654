import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import stripJsonComments from "strip-json-comments";
import { z } from "zod";
import { bad, type Finding, good, warned } from "../../cli/doctor/finding.ts";
import { ownId } from "../../core/events/event-key.ts";
import {
  type DeclaredJob,
  type DeclaredJobReader,
  type DeclaredJobResult,
  JOB_FIELDS,
} from "../../core/jobs/job-control.ts";
import type { Platforms } from "../../core/platform/descriptor.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { counted } from "../../core/text/counted.ts";
import type { FeatureHost } from "../../feature-host.ts";

type Scope = Pick<FeatureHost, "runtime" | "log"> & {
  /** Absolute path. */
  readonly file: string;
  readonly jobs: Pick<FeatureHost["jobs"], "declared">;
};

const fieldNames: ReadonlySet<string> = new Set([...JOB_FIELDS.map(({ name }) => name), "owner", "enabled"]);
const entrySchema = z.record(
  z.string().refine((name) => fieldNames.has(name), "is not a field of a job"),
  z.union([
    z.string(),
    z.number().transform(String),
    z.boolean(),
    z.array(z.string()).transform((all) => all.join(",")),
  ]),
);

/** Maximum size of the file, in bytes. */
const MAX_BYTES = 4 * 1_024 * 1_024;

/**
 * Returns a function that applies the file if it has changed, and returns its new problems, one line each. Never
 * rejects, since an unreadable file must not stop the program.
 */
export function createJobsFile(options: Scope): () => Promise<readonly string[]> {
  const { file: path, runtime, log } = options;
  /** The text that was applied completely, or the reason why the file cannot be read. */
  let known: string | null = null;
  /** Problems that were already reported. */
  let said = "";
  let wasMissing = true;
  /** The text that could not be applied yet, and since when; jobs due since then count as late, not as past. */
  let failed: { readonly text: string; readonly at: number } | null = null;
  return async () => {
    const read = await textOf(path);
    // Editors and version control replace the file, which is briefly missing meanwhile.
    const isBetween = read.type === "missing" && !wasMissing;
    wasMissing = read.type === "missing";
    if (isBetween || known === read.text) return [];
    const at = failed?.text === read.text ? failed.at : runtime.clock.now();
    try {
      const { problems, warnings } =
        read.type === "unreadable"
          ? { problems: [`${path}: ${read.text}`], warnings: [] }
          : await applyAll(read.text, at, options);
      failed = null;
      // Problems may disappear without a change of the file, for example a job of the same name or a missing agent, so
      // the file is applied again.
      known = read.type === "read" && problems.length > 0 ? null : read.text;
      const lines = [...problems, ...warnings];
      if (said === lines.join("\n")) return [];
      said = lines.join("\n");
      for (const problem of lines) log.warn({ problem }, "jobs_file_problem");
      return lines;
    } catch (error) {
      failed = { text: read.text, at };
      log.error({ err: toAppError(error), path }, "jobs_file_not_taken_over");
      return [`${path}: could not be applied; I'll try again.`];
    }
  };
}

/** Counts the file's jobs and checks them without applying anything; empty if there is no file. */
export async function checkJobsFile(path: string, reader: DeclaredJobReader): Promise<readonly Finding[]> {
  const read = await textOf(path);
  if (read.type === "missing") return [];
  const entries = read.type === "unreadable" ? read.text : readEntries(read.text);
  if (typeof entries === "string") return [bad(`${path}: ${entries}`)];
  const jobs = entries.map((entry) => readEntry(entry, reader.platforms));
  const check = (job: (typeof jobs)[number]): ReturnType<DeclaredJobReader["check"]> =>
    typeof job === "string" ? Promise.resolve({ problem: job }) : reader.check(job);
  const found = await Promise.all(jobs.map(check));
  const lines = found.flatMap(({ problem, warning }, index): readonly Finding[] => {
    if (problem !== undefined) return [bad(problemOf(path, index, problem))];
    return typeof warning === "string" ? [warned(problemOf(path, index, warning))] : [];
  });
  const isValid = lines.every(({ ok }) => ok);
  return isValid ? [good(`${path}: ${counted(jobs.length, "job")}`), ...lines] : lines;
}

function problemOf(path: string, index: number, problem: string): string {
  return `${path}: entry ${index + 1}: ${problem}`;
}

/** Applies all entries as of one moment, `at`, so that jobs applied last do not become past meanwhile. */
async function applyAll(text: string, at: number, { file: path, jobs, log }: Scope) {
  const read = readEntries(text);
  if (typeof read === "string") return { problems: [`${path}: ${read}`], warnings: [] };
  const problems: string[] = [];
  // Problems of entries without effect. These were readable, so none of them can be a missing job.
  const warnings: string[] = [];
  const applied = new Set<string>();
  for (const [index, entry] of read.entries()) {
    const job = readEntry(entry, jobs.declared.platforms);
    const taken: DeclaredJobResult =
      typeof job === "string" ? { id: null, problem: job } : await jobs.declared.apply(job, { applied, at });
    if (taken.id !== null) applied.add(taken.id);
    if (taken.problem !== undefined) problems.push(problemOf(path, index, taken.problem));
    if (typeof taken.warning === "string") warnings.push(problemOf(path, index, taken.warning));
  }
  // An unreadable entry may be one of the missing jobs, so nothing is removed.
  const removed = problems.length > 0 ? 0 : await jobs.declared.removeExcept(applied);
  const changes = { jobs: applied.size, removed, problems: problems.length };
  if (applied.size + removed > 0) log.info({ path, ...changes }, "jobs_file_read");
  return { problems, warnings };
}

/** `text` is the contents, or why they cannot be read. A missing file counts as one without jobs. */
async function textOf(
  path: string,
): Promise<{ readonly type: "read" | "missing" | "unreadable"; readonly text: string }> {
  try {
    const file = await stat(path);
    if (!file.isFile()) return { type: "unreadable", text: "is not a regular file" }; // a pipe would hold up the reader
    const { size } = file;
    if (size > MAX_BYTES) return { type: "unreadable", text: `has ${size} bytes; at most ${MAX_BYTES} are read` };
    const bytes = await readFile(path);
    if (!isUtf8(bytes)) return { type: "unreadable", text: "is not UTF-8" };
    return { type: "read", text: bytes.toString().replace(/^\uFEFF/u, "") };
  } catch (error) {
    const code = systemCode(error) ?? "unknown";
    return code === "ENOENT"
      ? { type: "missing", text: "[]" }
      : { type: "unreadable", text: `cannot be read: ${code}` };
  }
}

function readEntries(text: string): unknown[] | string {
  try {
    const parsed = z.array(z.unknown()).safeParse(JSON.parse(stripJsonComments(text, { trailingCommas: true })));
    return parsed.success ? parsed.data : "must be a JSON array of jobs";
  } catch (error) {
    return `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function whatIsWrong(issue: z.core.$ZodIssue): string {
  const [inKey] = issue.code === "invalid_key" ? issue.issues : [];
  return `\`${issue.path.join(".")}\` ${(inKey ?? issue).message}`;
}

function readEntry(entry: unknown, platforms: Platforms): DeclaredJob | string {
  const parsed = entrySchema.safeParse(withoutComments(entry));
  if (!parsed.success) return parsed.error.issues.map(whatIsWrong).join("; ");
  const { enabled = true, owner, channel, ...rest } = parsed.data;
  const thread = typeof channel === "string" ? threadOf(channel, platforms) : null;
  if (thread === null) return "`channel` must be written `slack:T1/C1`: platform, workspace, channel";
  if (typeof owner === "string" && !isPerson(owner, platforms))
    return "`owner` must be written `slack:U0123ABCD`: platform and id";
  if (rest["name"] === undefined) return "`name` is missing";
  const typed = (value: string | boolean) => (value === true ? "yes" : value === false ? "no" : value);
  const fields = Object.entries(rest).map(([name, value]) => [name, typed(value)]);
  const [id, name] = typeof owner === "string" ? [owner, ownId(owner)] : ["file", ""];
  return { input: Object.fromEntries(fields), thread, owner: { id, name }, enabled: String(enabled) };
}

/** As in the settings, a key that begins with `//` is a comment. */
function withoutComments(entry: unknown): unknown {
  const fields = z.record(z.string(), z.unknown()).safeParse(entry).data;
  return fields === undefined
    ? entry
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith("//")));
}

function threadOf(channel: string, platforms: Platforms): ThreadRef | null {
  const [, platform, workspaceId, channelId] = /^([a-z]+):([^/]+)\/(.+)$/u.exec(channel) ?? [];
  if (platform === undefined || !platforms.has(platform) || workspaceId === undefined || channelId === undefined)
    return null;
  return { platform, workspaceId, channelId, threadId: null };
}

function isPerson(id: string, platforms: Platforms): boolean {
  const platform = /^([a-z]+):\S+$/u.exec(id)?.[1];
  return platform !== undefined && platforms.has(platform);
}
