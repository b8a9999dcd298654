import { readFile } from "node:fs/promises";
import { z } from "zod";
import { JOB_FIELDS } from "../core/jobs/job-control.ts";
import { toAppError } from "../core/protocol/errors.ts";
import type { Log } from "../core/protocol/log.ts";
import { platformNameSchema, type ThreadRef } from "../core/protocol/platform.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import { type JobRow, type JobSettings, jobNameKey } from "../core/store/jobs.ts";
import type { Store } from "../core/store/store.ts";
import { PAST, readDraft } from "./draft.ts";
import type { JobScheduler } from "./scheduler.ts";

/**
 * Jobs in a file, for people who keep them in git: a JSON array of objects whose fields are the flags of
 * `/jobs add`, with `channel` written `slack:T1/C1` (platform, workspace, channel). What is in the file is what
 * there is: jobs that leave it are removed, those that change are changed. One bad entry leaves the others alone.
 */
export interface JobsFileOptions {
  readonly path: string;
  readonly store: Store;
  readonly runtime: Runtime;
  readonly log: Log;
  readonly scheduler: Pick<JobScheduler, "look">;
  readonly agents: () => ReadonlySet<string>;
  readonly defaultTimezone: string;
}

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

/** Takes over what the file says when it has changed; answers its problems, one line each. */
export function createJobsFile(options: JobsFileOptions): () => Promise<readonly string[]> {
  let known: string | null = null;
  return async () => {
    const text = await textOf(options.path);
    if (text === known) return [];
    known = text;
    const problems = await takeOverAll(text, options);
    for (const problem of problems) options.log.warn({ problem }, "jobs_file_problem");
    return problems;
  };
}

async function takeOverAll(text: string, options: JobsFileOptions): Promise<string[]> {
  const { path, store, scheduler } = options;
  const read = readEntries(text);
  if (typeof read === "string") return [`${path}: ${read}`];
  const problems: string[] = [];
  const kept = new Set<string>();
  const { jobs } = await store.jobs.all();
  for (const [index, entry] of read.entries()) {
    const job = await readEntry(entry, options);
    // A reminder that has come may stay in the file.
    if (job === PAST) continue;
    if (typeof job === "string") {
      problems.push(`${path}: entry ${index + 1}: ${job}`);
      continue;
    }
    kept.add(await takeOver(job, jobs, options));
  }
  // An entry that cannot be read may be one of those that are missing: then nothing is removed.
  const gone = problems.length > 0 ? [] : jobs.filter(({ id, source }) => source === "file" && !kept.has(id));
  for (const job of gone) await store.transaction((tx) => tx.jobs.remove(job.id));
  for (const { id } of gone) await scheduler.look(id);
  const changes = { jobs: kept.size, removed: gone.length, problems: problems.length };
  if (kept.size + gone.length > 0) options.log.info({ path, ...changes }, "jobs_file_read");
  return problems;
}

/** A file that is not there has no jobs. */
async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return "[]";
    throw toAppError(error);
  }
}

function readEntries(text: string): unknown[] | string {
  try {
    const parsed = z.array(z.unknown()).safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : "must be a JSON array of jobs";
  } catch (error) {
    return `is not valid JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
}

interface FileJob {
  readonly settings: JobSettings;
  readonly enabled: boolean;
}

async function readEntry(
  entry: unknown,
  { runtime, agents, defaultTimezone }: JobsFileOptions,
): Promise<FileJob | string> {
  const parsed = entrySchema.safeParse(entry);
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join(".")} ${message}`).join("; ");
  const { enabled = true, owner, channel, ...rest } = parsed.data;
  const thread = typeof channel === "string" ? threadOf(channel) : null;
  if (thread === null) return "`channel` must be written `slack:T1/C1`: platform, workspace, channel";
  if (rest["name"] === undefined) return "`name` is missing";
  const fields = Object.entries(rest).map(([name, value]) => [name, typeof value === "boolean" ? yesNo(value) : value]);
  const ownerId = typeof owner === "string" ? owner : "file";
  const place = {
    thread,
    owner: { id: ownerId, name: typeof owner === "string" ? owner.slice(owner.indexOf(":") + 1) : "" },
    defaultTimezone,
    agents: agents(),
    channelNamed: () => Promise.resolve(null),
    now: runtime.clock.now(),
  };
  const read = await readDraft(Object.fromEntries(fields), place, null);
  return read.type === "refused" ? read.reason : { settings: read.settings, enabled: enabled === true };
}

function yesNo(value: boolean): string {
  return value ? "yes" : "no";
}

function threadOf(channel: string): ThreadRef | null {
  const [, platform, workspaceId, channelId] = /^([a-z]+):([^/]+)\/(.+)$/u.exec(channel) ?? [];
  const name = platformNameSchema.safeParse(platform);
  if (!name.success || workspaceId === undefined || channelId === undefined) return null;
  return { platform: name.data, workspaceId, channelId, threadId: null };
}

const OFF = "It is off in the file of jobs.";

/** A job of the file is known by its name. Answers its id. */
async function takeOver(
  { settings, enabled }: FileJob,
  jobs: readonly JobRow[],
  options: JobsFileOptions,
): Promise<string> {
  const { store, runtime, scheduler } = options;
  const nameKey = jobNameKey(settings.thread, settings.name);
  const known = jobs.find((job) => jobNameKey(job.thread, job.name) === nameKey);
  const at = runtime.clock.now();
  const id = known?.id ?? runtime.ids.next("job");
  await store.transaction(async (tx) => {
    if (known === undefined) await tx.jobs.add({ ...settings, id, source: "file", enabled, at });
    else if (known.source === "file") {
      await tx.jobs.change(id, settings, at);
      if (!enabled) await tx.jobs.pause(id, OFF, at);
      else if (known.pausedBecause === OFF) await tx.jobs.enable(id, at);
    }
  });
  if (known === undefined || known.source === "file") await scheduler.look(id);
  return id;
}
