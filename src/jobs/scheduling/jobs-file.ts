import { isUtf8 } from "node:buffer";
import { readFile, stat } from "node:fs/promises";
import stripJsonComments from "strip-json-comments";
import { z } from "zod";
import { JOB_FIELDS } from "../../core/jobs/job-control.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { Platforms, ThreadRef } from "../../core/protocol/platform.ts";
import type { Runtime } from "../../core/protocol/runtime.ts";
import { systemCode } from "../../core/protocol/system-code.ts";
import { type JobRow, type JobSettings, settingsOf } from "../../core/store/jobs.ts";
import { canonicalJson } from "../../core/text/canonical-json.ts";
import { isSameTime } from "../calendar/schedule.ts";
import { callOffOutdated } from "./cancelled-retries.ts";
import { asNamed, isRelative, readJobInput, toolProblem, yesOrNo } from "./job-input.ts";
import type { JobScope } from "./job-scope.ts";
import { hasBeenDue, PAUSED, REMOVED } from "./occurrence.ts";

/**
 * Jobs in a file, for people who keep them in git: a JSON array of objects whose fields are the flags of
 * `/jobs add`, with `channel` written `slack:T1/C1` (platform, workspace, channel). What is in the file is what
 * there is: jobs that leave it are removed, those that change are changed. One bad entry leaves the others alone.
 */
type Scope = Pick<
  JobScope,
  "file" | "store" | "runtime" | "log" | "scheduler" | "agents" | "skillsOf" | "tools" | "defaultTimezone" | "platforms"
>;

/** What an entry is read with. */
type EntryScope = Pick<Scope, "agents" | "skillsOf" | "defaultTimezone" | "platforms">;

const fieldNames: ReadonlySet<string> = new Set([...JOB_FIELDS.map(({ name }) => name), "owner", "enabled"]);
const entrySchema = z.record(
  z.string().refine((name) => fieldNames.has(name), "is no field of a job"),
  z.union([
    z.string(),
    z.number().transform(String),
    z.boolean(),
    z.array(z.string()).transform((all) => all.join(",")),
  ]),
);

/** Bytes of the file. */
const MOST_BYTES = 4 * 1_024 * 1_024;

/** Takes over what the file says when it has changed; answers its problems, one line each. Never rejects: a file that cannot be read stops nothing. */
export function createJobsFile(options: Scope): () => Promise<readonly string[]> {
  const { file: path, runtime, log } = options;
  /** What was taken over whole, or why it cannot be read. */
  let known: string | null = null;
  /** Problems that were said. */
  let said = "";
  let wasMissing = true;
  /** Since when what could not be taken over yet has stood there: what comes due meanwhile is late, not past. */
  let failed: { readonly text: string; readonly at: number } | null = null;
  return async () => {
    const read = await textOf(path);
    // Editors and version control put a new file in the old one's place: between the two there is none.
    const isBetween = read.type === "missing" && !wasMissing;
    wasMissing = read.type === "missing";
    if (isBetween || known === read.text) return [];
    const at = failed?.text === read.text ? failed.at : runtime.clock.now();
    try {
      const { problems, vain } =
        read.type === "unreadable"
          ? { problems: [`${path}: ${read.text}`], vain: [] }
          : await takeOverAll(read.text, at, options);
      failed = null;
      // What keeps an entry out may go away without a change of the file: a job of its name, an agent that is missing.
      known = read.type === "read" && problems.length > 0 ? null : read.text;
      const lines = [...problems, ...vain];
      if (said === lines.join("\n")) return [];
      said = lines.join("\n");
      for (const problem of lines) log.warn({ problem }, "jobs_file_problem");
      return lines;
    } catch (error) {
      failed = { text: read.text, at };
      log.error({ err: toAppError(error), path }, "jobs_file_not_taken_over");
      return [`${path}: could not be taken over; I try again.`];
    }
  };
}

/** How many jobs the file has and what is wrong with it, for somebody who only looks; null where there is no file. */
export async function checkJobsFile(
  options: EntryScope & Pick<Scope, "file"> & { readonly runtime: Pick<Runtime, "clock"> },
): Promise<{ readonly jobs: number; readonly problems: readonly string[] } | null> {
  const { file: path, runtime } = options;
  const read = await textOf(path);
  if (read.type === "missing") return null;
  const entries = read.type === "unreadable" ? read.text : readEntries(read.text);
  if (typeof entries === "string") return { jobs: 0, problems: [`${path}: ${entries}`] };
  const jobs = await Promise.all(entries.map((entry) => readEntry(entry, runtime.clock.now(), options)));
  const problems = jobs.flatMap((job, index) => (typeof job === "string" ? [problemOf(path, index, job)] : []));
  return { jobs: jobs.length, problems };
}

function problemOf(path: string, index: number, problem: string): string {
  return `${path}: entry ${index + 1}: ${problem}`;
}

interface Problems {
  readonly problems: readonly string[];
  /**
   * What is wrong with entries of which nothing comes, and which tools are not there. They are read, so that none of them
   * may be a job that is missing.
   */
  readonly vain: readonly string[];
}

/** Tools of servers that may be connected later. */
const MAY_COME = /^mcp__/u;

/** The entries as they are at one moment, `at`: those that are taken over last do not get past meanwhile. */
async function takeOverAll(text: string, at: number, options: Scope): Promise<Problems> {
  const { file: path, store, scheduler, runtime, log } = options;
  const read = readEntries(text);
  if (typeof read === "string") return { problems: [`${path}: ${read}`], vain: [] };
  const problems: string[] = [];
  const vain: string[] = [];
  const kept = new Set<string>();
  for (const [index, entry] of read.entries()) {
    const job = await readEntry(entry, at, options);
    if (typeof job !== "string" && "past" in job) {
      // A reminder that has come may stay in the file; what is there of it may still have to catch up.
      const known = await store.jobs.named(job.past);
      if (known === null) vain.push(problemOf(path, index, "`at` is past, so nothing comes of it"));
      else kept.add(known.id);
      continue;
    }
    if (typeof job === "string") {
      problems.push(problemOf(path, index, job));
      continue;
    }
    const taken = await takeOver(job, { kept, at }, options);
    if ("problem" in taken) problems.push(problemOf(path, index, taken.problem));
    else {
      kept.add(taken.id);
      const noTool = toolProblem(
        job.settings.tools.filter((tool) => !MAY_COME.test(tool)),
        options.tools(),
      );
      if (noTool !== null) vain.push(problemOf(path, index, noTool));
    }
  }
  // An entry that cannot be read may be one of those that are missing: then nothing is removed.
  const { jobs } = await store.jobs.all();
  const gone = problems.length > 0 ? [] : jobs.filter(({ id, source }) => source === "file" && !kept.has(id));
  for (const { id } of gone) {
    await store.transaction(async (tx) => {
      await tx.jobs.remove(id);
      await tx.occurrences.withdraw(id, REMOVED, runtime.clock.now());
    });
    await scheduler.look(id);
  }
  const changes = { jobs: kept.size, removed: gone.length, problems: problems.length };
  if (kept.size + gone.length > 0) log.info({ path, ...changes }, "jobs_file_read");
  return { problems, vain };
}

/** `text`: what stands in it, or why it cannot be read. A file that is not there has no jobs. */
async function textOf(
  path: string,
): Promise<{ readonly type: "read" | "missing" | "unreadable"; readonly text: string }> {
  try {
    const file = await stat(path);
    if (!file.isFile()) return { type: "unreadable", text: "is no regular file" }; // a pipe would hold up the reader
    const { size } = file;
    if (size > MOST_BYTES) return { type: "unreadable", text: `has ${size} bytes; at most ${MOST_BYTES} are read` };
    const bytes = await readFile(path);
    if (!isUtf8(bytes)) return { type: "unreadable", text: "is no UTF-8" };
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

interface FileJob {
  readonly settings: JobSettings;
  readonly enabled: boolean;
}

/** A reminder whose time has come. */
interface PastJob {
  readonly past: Pick<JobSettings, "thread" | "name">;
}

function whatIsWrong(issue: z.core.$ZodIssue): string {
  const [inKey] = issue.code === "invalid_key" ? issue.issues : [];
  return `\`${issue.path.join(".")}\` ${(inKey ?? issue).message}`;
}

async function readEntry(
  entry: unknown,
  now: number,
  { agents, skillsOf, platforms, defaultTimezone }: EntryScope,
): Promise<FileJob | PastJob | string> {
  const parsed = entrySchema.safeParse(withoutComments(entry));
  if (!parsed.success) return parsed.error.issues.map(whatIsWrong).join("; ");
  const { enabled = true, owner, channel, ...rest } = parsed.data;
  const thread = typeof channel === "string" ? threadOf(channel, platforms) : null;
  if (thread === null) return "`channel` must be written `slack:T1/C1`: platform, workspace, channel";
  if (typeof owner === "string" && !isPerson(owner, platforms))
    return "`owner` must be written `slack:U0123ABCD`: platform and id";
  if (rest["name"] === undefined) return "`name` is missing";
  if (typeof rest["at"] === "string" && isRelative(rest["at"])) return NO_DATE;
  const isOn = yesOrNo.safeParse(String(enabled));
  if (!isOn.success) return "`enabled` must be true or false";
  const fields = Object.entries(rest).map(([name, value]) => [name, typeof value === "boolean" ? yesNo(value) : value]);
  const ownerId = typeof owner === "string" ? owner : "file";
  const place = {
    thread,
    owner: { id: ownerId, name: typeof owner === "string" ? owner.slice(owner.indexOf(":") + 1) : "" },
    defaultTimezone,
    agents: agents(),
    skillsOf,
    // A provider may be set up after the file: the run says what is missing.
    modelProblem: () => Promise.resolve(null),
    channelNamed: () => Promise.resolve(null),
    now,
  };
  const read = await readJobInput(Object.fromEntries(fields), place, null);
  if (read.type === "refused" && read.time === "past") return { past: { thread, name: asNamed(String(rest["name"])) } };
  if (read.type === "refused") return read.time === "unreadable" ? NO_DATE : read.reason;
  return { settings: read.settings, enabled: isOn.data };
}

const NO_DATE = "`at` must be a date, `2026-12-01 09:00`: in a file, nothing says since when";

/** As in the settings, a key that begins with `//` is a comment. */
function withoutComments(entry: unknown): unknown {
  const fields = z.record(z.string(), z.unknown()).safeParse(entry).data;
  return fields === undefined
    ? entry
    : Object.fromEntries(Object.entries(fields).filter(([name]) => !name.startsWith("//")));
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
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

const OFF = "It is off in the file of jobs.";

type Taken = { readonly id: string; readonly isCalledOff?: boolean } | { readonly problem: string };

/** What has paused by itself goes on with a changed entry; what a person has paused does not. */
function isMended(known: JobRow, settings: JobSettings): boolean {
  const hasPaused = known.pausedBecause !== null && !hasBeenDue(known);
  return hasPaused && canonicalJson(settingsOf(known)) !== canonicalJson(settings);
}

/** A job of the file is known by its name. */
async function takeOver(
  { settings, enabled }: FileJob,
  { kept, at }: { readonly kept: ReadonlySet<string>; readonly at: number },
  { store, runtime, scheduler }: Scope,
): Promise<Taken> {
  const newId = runtime.ids.next("job");
  const taken = await store.transaction(async (tx): Promise<Taken> => {
    const known = await tx.jobs.named(settings);
    if (known === null) {
      await tx.jobs.add({ ...settings, id: newId, source: "file", enabled, at });
      // Why it is off says that the file turns it on again.
      if (!enabled) await tx.jobs.pause(newId, OFF, at);
      return { id: newId };
    }
    if ("problem" in known) return { problem: `the row of **${settings.name}** cannot be read: ${known.problem}` };
    if (known.source === "chat") return { problem: `there is a job **${settings.name}** already, made in chat` };
    if (kept.has(known.id)) return { problem: `**${settings.name}** stands there twice` };
    if (!(await tx.jobs.change(known, settings, at))) return { problem: `**${settings.name}** is being changed` };
    const isOtherTime = !isSameTime(known, settings);
    // A reminder that has come is due again at its new time.
    const isDueAgain = isOtherTime && hasBeenDue(known);
    // Due times of a new schedule count from now.
    if (known.enabled && isOtherTime) await tx.jobs.accountTo(known.id, at);
    if (!enabled) {
      await tx.jobs.pause(known.id, OFF, at);
      await tx.occurrences.withdraw(known.id, PAUSED, at);
    } else if (known.pausedBecause === OFF || isDueAgain || isMended(known, settings))
      await tx.jobs.enable(known.id, at);
    return { id: known.id, isCalledOff: await callOffOutdated(tx, { job: known, settings, at }) };
  });
  if (!("id" in taken)) return taken;
  await scheduler.look(taken.id);
  if (taken.isCalledOff === true) await scheduler.startWaiting(taken.id);
  return taken;
}
