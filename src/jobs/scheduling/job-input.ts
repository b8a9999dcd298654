import { z } from "zod";
import { MODES } from "../../core/agents/query-config.ts";
import { didYouMean, nearest } from "../../core/command-line/nearest.ts";
import { JOB_FIELDS, type JobField, type JobInput, type JobProblems } from "../../core/jobs/job-control.ts";
import type { ThreadRef } from "../../core/platform/thread.ts";
import type { SkillCatalogue } from "../../core/skills/skills.ts";
import type { JobSettings } from "../../core/store/jobs.ts";
import { plainLine } from "../../core/text/plain-text.ts";
import { isNaturalDate, parseNaturalDate } from "../calendar/natural-date.ts";
import { nextDue, readSchedule, type Schedule, unknownZone } from "../calendar/schedule.ts";
import { openZone, type Zone } from "../calendar/wall-clock.ts";
import { skillProblem } from "./job-skill.ts";

export interface JobInputContext {
  readonly thread: ThreadRef;
  readonly owner: { readonly id: string; readonly name: string };
  readonly defaultTimezone: string;
  /** Names of the existing agents. */
  readonly agents: ReadonlySet<string>;
  readonly skillsOf: (thread: ThreadRef) => SkillCatalogue;
  /** Why a model cannot be used, as a sentence; null if it can. */
  readonly modelProblem: (ref: string) => Promise<string | null>;
  /** The channel with this name or id; null if it is unknown. */
  readonly channelNamed: (name: string) => Promise<ThreadRef | null>;
  readonly now: number;
}

export type ReadJobInput =
  | { readonly type: "job"; readonly settings: JobSettings; readonly schedule: Schedule }
  /** `reason`: a sentence. `time`: what is wrong with the job's time, if `reason` is about that. */
  | {
      readonly type: "refused";
      readonly reason: string;
      readonly time?: TimeProblem;
      readonly problems: JobProblems;
    };

type TimeProblem = "past" | "unreadable";

interface Problem {
  readonly field: JobField;
  readonly text: string;
  /** The problem with the flag's name, for people who type flags. */
  readonly typed?: string;
  readonly time?: TimeProblem;
}

/** Also used for private channels that the person is not in, to avoid revealing that one of this name exists. */
export const UNKNOWN_CHANNEL = "I don't know that channel, or I'm not in it. Invite me there and mention me once.";

/** A job's settings unless flags change them. */
export const JOB_DEFAULTS = {
  agent: null,
  skill: null,
  model: null,
  mode: "read",
  tools: [],
  timeoutMs: 300_000,
  budgetUsd: null,
  catchUp: "none",
  overlap: "skip",
  attempts: 3,
  jitterMs: 0,
  silentWhenUnchanged: false,
  pauseAfter: 5,
} as const;

const seconds = z.coerce.number("must be a number of seconds");
const inMs = (s: number) => Math.round(s * 1_000);
const whole = z.coerce.number("must be a number").int("must be a whole number");
const YES = ["yes", "true", "on", ""];
const NO = ["no", "false", "off"];
export const booleanFlag = z
  .string()
  .trim()
  .toLowerCase()
  .pipe(z.enum([...YES, ...NO], "must be yes or no"))
  .transform((word) => YES.includes(word));

/** Schemas of typed fields, by flag. */
const fieldsSchema = z.object({
  name: z
    .string()
    .overwrite(normalizedName)
    .min(1, "must not be empty")
    .max(80, "must have at most 80 characters")
    .regex(/^[^\p{C}`*_<>@#~|\\]+$/u, "must have only letters, digits and plain punctuation"),
  prompt: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(20_000, "must have at most 20,000 characters")
    .regex(/^[^\0]*$/u, "must not contain NUL"),
  model: z.string().regex(/^[^/\s]+\/\S+$/u, "must be written provider/model"),
  mode: z.enum(MODES, "must be read, write or agi"),
  skill: z.string().trim().min(1, "must not be empty").max(1_000, "must have at most 1,000 characters"),
  tools: z.string().transform((names) => names.split(/[\s,]+/u).filter((name) => name !== "")),
  timeout: seconds.min(1, "must be at least 1 second").max(86_400, "must be at most a day").transform(inMs),
  budget: z.coerce.number("must be a number of dollars").positive("must be more than 0"),
  "catch-up": z.enum(["none", "latest"], "must be none or latest"),
  overlap: z.enum(["skip", "queue", "cancel-previous"], "must be skip, queue or cancel-previous"),
  attempts: whole.min(1, "must be at least 1").max(10, "must be at most 10"),
  jitter: seconds.min(0, "must not be negative").max(3_600, "must be at most an hour").transform(inMs),
  silent: booleanFlag,
  "pause-after": whole.min(1, "must be at least 1").max(1_000, "must be at most 1,000"),
});

const typedSchema = fieldsSchema.partial();
type Typed = z.infer<typeof typedSchema>;

/** Reads a job from typed input; `known` is the job to change. An empty agent, skill or model removes the setting. */
export async function readJobInput(
  input: JobInput,
  place: JobInputContext,
  known: JobSettings | null,
): Promise<ReadJobInput> {
  const { cron: _cron, at: _at, timezone: _zone, channel, agent, skill, model, ...rest } = input;
  const parsed = typedSchema.safeParse({ ...rest, skill: skill || undefined, model: model || undefined });
  const typed = parsed.data ?? {};
  const own = known?.thread ?? channelOf(place.thread);
  const isOwn = channel === undefined || channel.trim() === own.channelId;
  const thread = isOwn ? own : await place.channelNamed(channel);
  const time = readTime(input, place, known);
  const problems = [
    ...(parsed.error?.issues ?? []).map(flagProblem),
    ...agentProblems(agent, place.agents),
    ...(await modelProblems(typed.model, place, known)),
    ...(thread === null
      ? [{ field: "channel", text: UNKNOWN_CHANNEL } as const]
      : skillProblems(skill, () => place.skillsOf(thread))),
    ...("field" in time ? [time] : []),
    ...(rest.prompt === undefined && known === null ? [NO_PROMPT] : []),
  ];
  if (problems.length > 0 || thread === null || "field" in time) return refused(problems);

  const prompt = typed.prompt ?? known?.prompt ?? "";
  const before = known ?? { ...JOB_DEFAULTS, tools: [], ownerId: place.owner.id, ownerName: place.owner.name };
  const settings: JobSettings = {
    ...before,
    ...time,
    ...changed(before, typed),
    agent: agent === undefined ? before.agent : agent || null,
    ...(skill === "" ? { skill: null } : {}),
    ...(model === "" ? { model: null } : {}),
    name: typed.name ?? known?.name ?? nameFor(prompt),
    prompt,
    thread,
  };
  const read = readSchedule(settings);
  const field = time.cron === null ? "at" : "cron";
  if (read.type === "refused" && field === "cron")
    return refused([{ field, text: `${read.reason} ${ONCE}`, typed: read.reason }]);
  if (read.type === "refused") return refused([{ field, text: read.reason }]);
  const isDue = nextDue(read.schedule, place.now) !== null;
  return isDue
    ? { type: "job", settings, schedule: read.schedule }
    : refused([{ field, text: "That time has passed.", time: "past" }]);
}

type Defaults = Pick<JobSettings, keyof typeof JOB_DEFAULTS>;

/** The settings that flags change: as typed, or else as they were. */
function changed(before: Defaults, typed: Typed): Omit<Defaults, "agent"> {
  return {
    model: typed.model ?? before.model,
    mode: typed.mode ?? before.mode,
    skill: typed.skill ?? before.skill,
    tools: typed.tools ?? before.tools,
    timeoutMs: typed.timeout ?? before.timeoutMs,
    budgetUsd: typed.budget ?? before.budgetUsd,
    catchUp: typed["catch-up"] ?? before.catchUp,
    overlap: typed.overlap ?? before.overlap,
    attempts: typed.attempts ?? before.attempts,
    jitterMs: typed.jitter ?? before.jitterMs,
    silentWhenUnchanged: typed.silent ?? before.silentWhenUnchanged,
    pauseAfter: typed["pause-after"] ?? before.pauseAfter,
  };
}

function flagProblem({ path: [name], message }: z.core.$ZodIssue): Problem {
  const field = JOB_FIELDS.find((each) => each.name === name)?.name ?? "prompt";
  return { field, text: `It ${message}.`, typed: `\`--${field}\` ${message}.` };
}

const NO_PROMPT: Problem = {
  field: "prompt",
  text: "What should it do?",
  typed: "`--prompt` is missing: what should it do?",
};

/** An empty name removes the setting. */
function agentProblems(name: string | undefined, known: ReadonlySet<string>): readonly Problem[] {
  return name === undefined || name === "" || known.has(name) ? [] : [unknownName("agent", name, [...known])];
}

/** The job's present model is not checked again: if it has become unusable, other settings can still be changed. */
async function modelProblems(
  model: string | undefined,
  { modelProblem }: JobInputContext,
  known: JobSettings | null,
): Promise<readonly Problem[]> {
  const text = model === undefined || model === known?.model ? null : await modelProblem(model);
  return text === null ? [] : [{ field: "model", text }];
}

/** An empty name removes the setting. */
function skillProblems(skill: string | undefined, skillsOf: () => SkillCatalogue): readonly Problem[] {
  if (skill === undefined || skill === "") return [];
  const catalogue = skillsOf();
  const problem = skillProblem(skill, catalogue);
  if (problem === null) return [];
  if (problem.type === "lacking") return [{ field: "skill", text: problem.reason }];
  const known = catalogue.skills.map(({ name }) => name);
  return [unknownName("skill", problem.name, known)];
}

function unknownName(field: "agent" | "skill", name: string, known: readonly string[]): Problem {
  return { field, text: `There is no ${field} \`${plainLine(name, 80)}\`. Known: ${known.join(", ")}.` };
}

function channelOf(thread: ThreadRef): ThreadRef {
  return { ...thread, threadId: null };
}

type Time = Pick<JobSettings, "cron" | "dueOnce" | "timezone">;

function readTime(
  typed: JobInput,
  { defaultTimezone, now }: JobInputContext,
  known: JobSettings | null,
): Time | Problem {
  const timezone = typed.timezone ?? known?.timezone ?? defaultTimezone;
  const zone = openZone(timezone);
  if (zone === null) return { field: "timezone", text: unknownZone(timezone) };
  if (typed.cron !== undefined && typed.at !== undefined)
    return { field: "cron", text: "Use either `--cron` or `--at`: a job repeats or is due once." };
  if (typed.cron !== undefined) return { cron: typed.cron, dueOnce: null, timezone };
  if (typed.at !== undefined) {
    const at = readMoment(typed.at, zone, now);
    if (at === null) return NO_MOMENT;
    return at < TOO_FAR ? { cron: null, dueOnce: at, timezone } : { field: "at", text: "That is too far away." };
  }
  if (known === null) return NO_TIME;
  return { cron: known.cron, dueOnce: known.dueOnce, timezone };
}

/** For forms, in which one field takes both kinds of time. */
const ONCE = "For a single time, write `2026-12-01 09:00`, `tomorrow 9:00` or `in 2 hours`.";

const NO_MOMENT: Problem = {
  field: "at",
  text: "I don't understand that. Write `2026-12-01 09:00`, `tomorrow 9:00` or `in 2 hours`.",
  typed: "I don't understand `--at`. Write `2026-12-01 09:00`, `tomorrow 9:00` or `in 2 hours`.",
  time: "unreadable",
};
const NO_TIME: Problem = {
  field: "cron",
  text: "When should it run?",
  typed: "`--cron` is missing: when should it run? For a single time, use `--at`.",
};

/** From here on years have five digits, which not every database accepts. In milliseconds since the epoch. */
const TOO_FAR = Date.UTC(9_999, 0);

const DAY_MS = 86_400_000;
const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS };
/** Only the exact words of each unit match, because other beginnings may mean months or milliseconds. */
const FROM_NOW =
  /^in (?<amount>\d+|an?) ?(?:(?<months>months?)|(?<unit>s(?:ecs?|econds?)?|m(?:ins?|inutes?)?|h(?:rs?|ours?)?|d(?:ays?)?|w(?:eeks?)?))$/iu;
const MOMENT =
  /^(?<day>\d{4}-\d{2}-\d{2})[ T](?<time>\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)? ?(?<offset>Z|[+-]\d{2}:?\d{2})?$/iu;

/** Reads `2026-12-01 09:00` or `tomorrow 9:00` on the zone's clock, a time with an offset, or `in 2 hours`. In ms. */
function readMoment(text: string, zone: Zone, now: number): number | null {
  const { amount = "", months, unit } = FROM_NOW.exec(text.trim())?.groups ?? {};
  const count = /^an?$/iu.test(amount) ? 1 : Number(amount);
  if (months !== undefined) return monthsAfter(now, count, zone);
  if (unit !== undefined) {
    const letter = unit.charAt(0).toLowerCase();
    const ms = count * (UNITS_MS[letter] ?? 0);
    return letter === "d" || letter === "w" ? daysAfter(now, ms, zone) : now + ms;
  }
  const byDay = parseNaturalDate(text, zone, now);
  if (byDay !== null) return byDay;
  const { day, time = "", offset } = MOMENT.exec(text.trim())?.groups ?? {};
  const wall = Date.parse(`${day}T${time.replace(/^\d:/u, "0$&")}Z`);
  // A day that the month does not have would be read as one of the next month.
  if (day === undefined || Number.isNaN(wall) || !new Date(wall).toISOString().startsWith(day)) return null;
  return offset === undefined ? zone.instantOf(wall) : wall - offsetOf(offset);
}

/** The same wall time on the later day, even if one of the days has 23 or 25 hours. */
function daysAfter(now: number, ms: number, zone: Zone): number {
  if (!(now + ms < TOO_FAR)) return now + ms; // also if it is NaN
  return zone.instantOf(zone.wallAt(now) + ms);
}

/** The same day and wall time in the later month, or its last day if it is shorter. */
function monthsAfter(now: number, months: number, zone: Zone): number {
  const wall = new Date(zone.wallAt(now));
  const day = wall.getUTCDate();
  wall.setUTCMonth(wall.getUTCMonth() + months, 1);
  if (!(wall.getTime() < TOO_FAR)) return Number.POSITIVE_INFINITY; // also if it is NaN
  const lastDay = new Date(Date.UTC(wall.getUTCFullYear(), wall.getUTCMonth() + 1, 0)).getUTCDate();
  return zone.instantOf(wall.setUTCDate(Math.min(day, lastDay)));
}

/** Whether the time depends on when it is read. */
export function isRelative(at: string): boolean {
  return FROM_NOW.test(at.trim()) || isNaturalDate(at);
}

/** `+02:00` in milliseconds. */
function offsetOf(offset: string): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/u.exec(offset) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * 60_000;
}

/** Normalises a name, so that names that look alike are the same. */
export function normalizedName(text: string): string {
  return text.normalize().replaceAll(/\s+/gu, " ").trim();
}

/** The default name of a job: the beginning of its prompt. */
function nameFor(prompt: string): string {
  return plainLine(normalizedName(prompt.replaceAll(/[\p{C}`*_<>@#~|\\]+/gu, " ")), 40) || "job";
}

/** The first problem is shown to people who type, all of them to people who fill in a form. */
function refused(problems: readonly Problem[]): ReadJobInput {
  const [first] = problems;
  const byField = Object.fromEntries(problems.toReversed().map(({ field, text }) => [field, text]));
  const reason = first?.typed ?? first?.text ?? "Something is not valid.";
  const time = first?.time === undefined ? {} : { time: first.time };
  return { type: "refused", reason, ...time, problems: byField };
}

/** The first unknown tool, as a sentence; null if all exist. */
export function toolProblem(tools: readonly string[], known: readonly string[]): string | null {
  const unknown = tools.find((tool) => !known.includes(tool));
  if (unknown === undefined) return null;
  return `There is no tool \`${plainLine(unknown, 80)}\`.${didYouMean(nearest(unknown, known), "`/tools` lists them.")}`;
}
