import type { DeclaredJob, DeclaredJobReader, DeclaredJobResult, DeclaredJobs } from "../../core/jobs/job-control.ts";
import { type JobRow, type JobSettings, settingsOf } from "../../core/store/jobs.ts";
import type { PauseCause } from "../../core/store/pause-cause.ts";
import { canonicalJson } from "../../core/text/canonical-json.ts";
import { isSameTime } from "../calendar/schedule.ts";
import { cancelOutdatedRetry } from "./cancelled-retries.ts";
import { booleanFlag, isRelative, normalizedName, type ReadJobInput, readJobInput, toolProblem } from "./job-input.ts";
import type { JobScope } from "./job-scope.ts";
import { isPastReminder, PAUSED, REMOVED } from "./occurrence.ts";

/** What is needed to read a declared job. */
type ReaderScope = Pick<JobScope, "runtime" | "agents" | "skillsOf" | "defaultTimezone" | "platforms" | "isOn">;
type Scope = ReaderScope & Pick<JobScope, "store" | "scheduler" | "tools">;

export function createDeclaredJobReader(scope: ReaderScope): DeclaredJobReader {
  return {
    platforms: scope.platforms,
    async check(job) {
      const read = await readDeclared(job, scope.runtime.clock.now(), scope);
      return read.type === "refused" && read.time !== "past"
        ? { problem: read.reason }
        : { warning: whyIdle(job, scope) };
    },
  };
}

/** Why no run of the job can begin now; null if one can. */
function whyIdle(
  { thread: { platform } }: Pick<DeclaredJob, "thread">,
  { platforms, isOn }: ReaderScope,
): string | null {
  return isOn(platform) ? null : `${platforms.get(platform)?.title ?? platform} is off, so its runs wait`;
}

export function createDeclaredJobs(scope: Scope): DeclaredJobs {
  const { store, runtime, scheduler } = scope;
  return {
    ...createDeclaredJobReader(scope),
    async apply(job, { applied, at }) {
      const read = await readDeclared(job, at, scope);
      if (read.type === "refused" && read.time !== "past") return { id: null, problem: read.reason };
      if (read.type === "job")
        return applyDeclared(read.settings, { isOn: booleanFlag.parse(job.enabled), applied, at }, scope);
      // A past reminder may stay in the file; its row may still have to catch up.
      const known = await store.jobs.named({ thread: job.thread, name: normalizedName(job.input.name ?? "") });
      return known === null ? { id: null, warning: "`at` is past, so the job will never run" } : { id: known.id };
    },
    async removeExcept(applied) {
      const { jobs } = await store.jobs.all();
      const gone = jobs.filter(({ id, source }) => source === "file" && !applied.has(id));
      for (const { id } of gone) {
        await store.transaction(async (tx) => {
          await tx.jobs.remove(id);
          await tx.occurrences.withdraw(id, REMOVED, runtime.clock.now());
        });
        await scheduler.check(id);
      }
      return gone.length;
    },
  };
}

const NO_DATE = "`at` must be a date like `2026-12-01 09:00`, because in a file it has nothing to count from";

async function readDeclared(job: DeclaredJob, now: number, scope: ReaderScope): Promise<ReadJobInput> {
  const { input, thread, owner, enabled } = job;
  if (input.at !== undefined && isRelative(input.at)) return wrong(NO_DATE);
  if (!booleanFlag.safeParse(enabled).success) return wrong("`enabled` must be yes or no");
  const place = {
    thread,
    owner,
    defaultTimezone: scope.defaultTimezone,
    agents: scope.agents(),
    skillsOf: scope.skillsOf,
    // Not checked, since a provider may be set up later; the run says what is missing.
    modelProblem: () => Promise.resolve(null),
    channelNamed: () => Promise.resolve(null),
    now,
  };
  const read = await readJobInput(input, place, null);
  return read.type === "refused" && read.time === "unreadable" ? wrong(NO_DATE) : read;
}

function wrong(reason: string): ReadJobInput {
  return { type: "refused", reason, problems: {} };
}

/** Tools of servers that may be connected later are not reported as unknown. */
const LATER_TOOLS = /^mcp__/u;

const OFF: PauseCause = { by: "jobs_file" };

/** Whether a changed entry resumes the job: only if it paused by itself, not if a person paused it. */
function isFixed(known: JobRow, settings: JobSettings): boolean {
  const hasPaused = known.pausedBecause !== null && !isPastReminder(known);
  return hasPaused && canonicalJson(settingsOf(known)) !== canonicalJson(settings);
}

async function applyDeclared(
  settings: JobSettings,
  { isOn, applied, at }: Parameters<DeclaredJobs["apply"]>[1] & { readonly isOn: boolean },
  scope: Scope,
): Promise<DeclaredJobResult> {
  const { store, runtime, scheduler, tools } = scope;
  const newId = runtime.ids.next("job");
  const refused = (problem: string) => ({ id: null, problem });
  const taken = await store.transaction(
    async (tx): Promise<DeclaredJobResult & { readonly isRetryCancelled?: boolean }> => {
      const known = await tx.jobs.named(settings);
      if (known === null) {
        await tx.jobs.add({ ...settings, id: newId, source: "file", enabled: isOn, at });
        // The reason for the pause shows that the file can turn it on again.
        if (!isOn) await tx.jobs.pause(newId, OFF, at);
        return { id: newId };
      }
      if ("problem" in known) return refused(`the row of **${settings.name}** can't be read: ${known.problem}`);
      if (known.source === "chat") return refused(`there is already a job **${settings.name}**, added in chat`);
      if (applied.has(known.id)) return refused(`**${settings.name}** appears twice`);
      if (!(await tx.jobs.change(known, settings, at))) return refused(`**${settings.name}** is being changed`);
      const isOtherTime = !isSameTime(known, settings);
      // A past reminder with a new time is due again.
      const isDueAgain = isOtherTime && isPastReminder(known);
      // Due times of a new schedule count from now.
      if (known.enabled && isOtherTime) await tx.jobs.accountTo(known.id, at);
      if (!isOn) {
        await tx.jobs.pause(known.id, OFF, at);
        await tx.occurrences.withdraw(known.id, PAUSED, at);
      } else if (known.pausedBecause?.by === OFF.by || isDueAgain || isFixed(known, settings))
        await tx.jobs.enable(known.id, at);
      return { id: known.id, isRetryCancelled: await cancelOutdatedRetry(tx, { job: known, settings, at }) };
    },
  );
  const { id, isRetryCancelled = false } = taken;
  if (id === null) return taken;
  await scheduler.check(id);
  if (isRetryCancelled) await scheduler.startWaiting(id);
  const named = settings.tools.filter((tool) => !LATER_TOOLS.test(tool));
  return { id, warning: whyIdle(settings, scope) ?? toolProblem(named, tools()) };
}
