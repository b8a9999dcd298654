import { hash } from "node:crypto";
import type {
  JobAction,
  JobAnswer,
  JobControl,
  JobInput,
  JobPreview,
  JobRequest,
} from "../../core/jobs/job-control.ts";
import { channelKeyOf, type ThreadRef } from "../../core/platform/thread.ts";
import { assertNever } from "../../core/protocol/assert-never.ts";
import { type BrokenJob, type JobRow, jobNameKey, settingsOf } from "../../core/store/jobs.ts";
import type { Store } from "../../core/store/store.ts";
import { isSameTime, nextDueTimes } from "../calendar/schedule.ts";
import { sentenceOf, timeIn } from "../calendar/sentence.ts";
import { cancelOutdatedRetry, RETRY_CANCELLED } from "../scheduling/cancelled-retries.ts";
import { type ReadJobInput, readJobInput, toolProblem } from "../scheduling/job-input.ts";
import type { JobScope } from "../scheduling/job-scope.ts";
import { isPastReminder, PAUSED, REMOVED } from "../scheduling/occurrence.ts";
import { doneAnswer, refusedAnswer } from "./job-answers.ts";
import { versionOf } from "./job-fields.ts";
import type { JobFinder } from "./job-finder.ts";
import { fileRefusal, type JobRights } from "./job-rights.ts";
import { NAMED_TIMES } from "./job-text.ts";

type ChangeAction = Exclude<JobAction, "show" | "logs">;

/** Changes jobs, and previews changes. */
export class JobChanges implements Pick<JobControl, "preview" | "add" | "edit"> {
  readonly #options: JobScope;
  readonly #rights: JobRights;
  readonly #finder: JobFinder;

  constructor(options: JobScope, rights: JobRights, finder: JobFinder) {
    this.#options = options;
    this.#rights = rights;
    this.#finder = finder;
  }

  async preview(input: JobInput, request: JobRequest): Promise<JobPreview> {
    const read = await this.#read(input, request, null);
    if (read.type === "refused") return read;
    const { settings, schedule } = read;
    const known = await this.#options.store.jobs.named(settings);
    if (known !== null && !this.#makesRoom(known, request))
      return { type: "refused", reason: nameTaken(settings.name).text };
    const { name, dueOnce } = settings;
    return { type: "job", name, sentence: sentenceOf(schedule), next: this.#nextTimes(read), dueOnce };
  }

  async add(input: JobInput, request: JobRequest): Promise<JobAnswer> {
    const { store, runtime } = this.#options;
    const read = await this.#read(input, request, null);
    if (read.type === "refused") return refusedAnswer(read.reason, read.problems);
    const id = request.key === undefined ? runtime.ids.next("job") : idOf(request.key);
    const at = runtime.clock.now();
    const outcome = await store.transaction(async (tx) => {
      if ((await tx.jobs.get(id)) !== null) return "there";
      const known = await tx.jobs.named(read.settings);
      if (known !== null && !this.#makesRoom(known, request)) return "taken";
      if (known !== null) await tx.jobs.remove(known.id);
      await tx.jobs.add({ ...read.settings, id, source: "chat", enabled: true, at });
      return "added";
    });
    if (outcome === "taken") return nameTaken(read.settings.name);
    if (outcome === "added") await this.#audit("add", read.settings, request);
    await this.#options.scheduler.check(id);
    return doneAnswer(`✓ ${this.#summary(read)}`);
  }

  async edit(name: string, input: JobInput, request: JobRequest): Promise<JobAnswer> {
    const { store, runtime, scheduler } = this.#options;
    const found = await this.#finder.found(name, request);
    if ("reason" in found) return refusedAnswer(found.reason);
    const { job } = found;
    const refusal = await this.#rights.editRefusal(job, request);
    if (refusal !== null) return refusedAnswer(refusal);
    if (request.version !== undefined && request.version !== versionOf(job))
      return refusedAnswer(OUTDATED, { name: OUTDATED });
    if (Object.keys(input).length === 0)
      return refusedAnswer('Nothing to change. Say what, for example `--cron "0 9 * * *"`.');
    const read = await this.#read(input, request, job);
    if (read.type === "refused") return refusedAnswer(read.reason, read.problems);
    const at = runtime.clock.now();
    const isOtherTime = !isSameTime(job, read.settings);
    // A past reminder with a new time is due again.
    const isDueAgain = isOtherTime && isPastReminder(job);
    const outcome = await store.transaction(async (tx) => {
      const isRenamed = jobNameKey(read.settings.thread, read.settings.name) !== jobNameKey(job.thread, job.name);
      if (isRenamed && (await tx.jobs.isNameTaken(read.settings))) return "taken";
      if (!(await tx.jobs.change(job, read.settings, at))) return "outdated";
      if (isDueAgain) await tx.jobs.enable(job.id, at);
      // Due times of the new schedule count from now.
      else if (isOtherTime) await tx.jobs.accountTo(job.id, at);
      const isRetryCancelled = await cancelOutdatedRetry(tx, { job, settings: read.settings, at });
      return isRetryCancelled ? "called off" : "changed";
    });
    if (outcome === "taken") return nameTaken(read.settings.name);
    // Somebody else changed the job first, so the input is applied to its new state.
    if (outcome === "outdated") return this.edit(name, input, request);
    await this.#audit("edit", job, request);
    await scheduler.check(job.id);
    const text = `✓ ${job.enabled || isDueAgain ? this.#summary(read) : pausedStill(read)}`;
    if (outcome === "changed") return doneAnswer(text);
    await scheduler.startWaiting(job.id);
    return doneAnswer(`${text}\n${RETRY_CANCELLED}`);
  }

  /** Runs, pauses, resumes or removes a job. */
  async act(action: ChangeAction, job: JobRow, request: JobRequest): Promise<JobAnswer> {
    const refusal = this.#rights.manageRefusal(job, request.person);
    if (refusal !== null) return refusedAnswer(refusal);
    const answer = await this.#change(action, job, request);
    if (answer.isDone) await this.#audit(action, job, request);
    return answer;
  }

  #audit(
    verb: ChangeAction | "add" | "edit",
    { name, thread }: Pick<JobRow, "name" | "thread">,
    { person }: JobRequest,
  ): Promise<void> {
    return this.#options.audit({ by: person.name, act: `job.${verb}`, about: name, details: channelKeyOf(thread) });
  }

  async #change(action: ChangeAction, job: JobRow, { at, person: by }: JobRequest): Promise<JobAnswer> {
    const { store, runtime, scheduler } = this.#options;
    const now = runtime.clock.now();
    const lost = action === "run" || action === "enable" ? await this.#options.refusalOf(job) : null;
    // Without the owner, only an admin can manage the job.
    const isTaken = lost?.isOwners === true && action === "enable" && job.source === "chat" && by.id !== job.ownerId;
    if (lost !== null && !isTaken) return refusedAnswer(lost.reason);
    const heir = isTaken ? { ownerId: by.id, ownerName: by.name } : undefined;
    switch (action) {
      case "run": {
        const refusal = await scheduler.runNow(job, at);
        return refusal === null
          ? doneAnswer(`✓ **${job.name}** is running; its report will be posted in its channel.`)
          : refusedAnswer(refusal);
      }
      case "enable":
        if (isPast(job, now)) return refusedAnswer(`**${job.name}** ${WAS_DUE}`);
        await store.transaction((tx) => tx.jobs.enable(job.id, now, heir));
        await scheduler.check(job.id);
        return doneAnswer(`✓ **${job.name}** is enabled${isTaken ? " and now runs in your name" : ""}.`);
      case "disable":
        await store.transaction(async (tx) => {
          await tx.jobs.pause(job.id, null, now);
          await tx.occurrences.withdraw(job.id, PAUSED, now);
        });
        await scheduler.check(job.id);
        return doneAnswer(
          `⏸ **${job.name}** is paused. \`/jobs enable\` resumes it; a run in progress finishes as usual.`,
        );
      case "remove": {
        const refusal = fileRefusal(job);
        if (refusal !== null) return refusedAnswer(refusal);
        await store.transaction(async (tx) => {
          await tx.jobs.remove(job.id);
          await tx.occurrences.withdraw(job.id, REMOVED, now);
        });
        await scheduler.check(job.id);
        return doneAnswer(`✓ **${job.name}** is removed.`);
      }
      default:
        return assertNever(action);
    }
  }

  /** Whether an existing job may be replaced: a past reminder gives up its name to whoever may remove it. */
  #makesRoom(known: JobRow | BrokenJob, { person }: JobRequest): boolean {
    if ("problem" in known || known.source === "file") return false;
    return isPastReminder(known) && this.#rights.manageRefusal(known, person) === null;
  }

  async #read(input: JobInput, request: JobRequest, known: JobRow | null): Promise<ReadJobInput> {
    const { person, thread } = request;
    const { store, runtime, agents, models, skillsOf, defaultTimezone } = this.#options;
    const read = await readJobInput(
      input,
      {
        thread,
        owner: person,
        defaultTimezone,
        agents: agents(),
        modelProblem: (ref) => models.problemWith(ref),
        skillsOf,
        channelNamed: (name) => channelNamed(store, thread, name),
        now: runtime.clock.now(),
      },
      known === null ? null : settingsOf(known),
    );
    if (read.type === "refused") return read;
    const { settings } = read;
    const isElsewhere = settings.thread.channelId !== known?.thread.channelId;
    const there = isElsewhere ? await this.#rights.channelRefusal(settings.thread, request) : null;
    if (there !== null) return { type: "refused", reason: there, problems: { channel: there } };
    const unknown = input.tools === undefined ? null : toolProblem(settings.tools, this.#options.tools());
    if (unknown !== null) return { type: "refused", reason: unknown, problems: { tools: unknown } };
    const granting = this.#rights.grantRefusal(settings, person);
    if (granting === null) return read;
    return { type: "refused", reason: granting, problems: { [settings.mode === "agi" ? "mode" : "tools"]: granting } };
  }

  #nextTimes({ settings, schedule }: Extract<ReadJobInput, { type: "job" }>): string[] {
    const next = nextDueTimes(schedule, this.#options.runtime.clock.now(), NAMED_TIMES);
    return next.map((due) => timeIn(due, settings.timezone));
  }

  #summary(read: Extract<ReadJobInput, { type: "job" }>): string {
    const { name } = read.settings;
    return `**${name}** · ${sentenceOf(read.schedule)}\nNext: ${this.#nextTimes(read).join(" · ")}`;
  }
}

const OUTDATED = "Someone has changed this job since you opened the form. Open it again to see the current settings.";

function idOf(key: string): string {
  return `job_${hash("sha256", key).slice(0, 20)}`;
}

/** Finds a channel by `#ops`, an id, or a mention as written by platforms, `<#C1|ops>`, or as read, `#ops(C1)`. */
async function channelNamed(
  store: Store,
  { platform, workspaceId }: ThreadRef,
  name: string,
): Promise<ThreadRef | null> {
  const [, written, read] = /^<#([A-Za-z0-9]+)(?:\|[^>]*)?>$|^#[^()]*\(([A-Za-z0-9]+)\)$/u.exec(name.trim()) ?? [];
  const mentioned = written ?? read;
  const thread = { platform, workspaceId, threadId: null };
  if (mentioned !== undefined) return { ...thread, channelId: mentioned };
  const channelId = await store.jobs.channelNamed(`${platform}:${workspaceId}`, name.trim().replace(/^#/u, ""));
  return channelId === null ? null : { ...thread, channelId };
}

/** Whether it is a past reminder. */
function isPast({ dueOnce }: JobRow, now: number): boolean {
  return dueOnce !== null && dueOnce <= now;
}

const WAS_DUE = "was due only once, and that time is past. `/jobs edit` with `--at` sets another time.";

function pausedStill({ settings, schedule }: Extract<ReadJobInput, { type: "job" }>): string {
  return `**${settings.name}** · ${sentenceOf(schedule)}\n⏸ It is paused; \`/jobs enable\` resumes it.`;
}

function nameTaken(name: string): JobAnswer {
  const taken = `There is already a job **${name}**.`;
  return refusedAnswer(`${taken} Choose a different \`--name\`.`, { name: taken.replaceAll("**", "") });
}
