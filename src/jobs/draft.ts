import { z } from "zod";
import type { JobDraft } from "../core/jobs/job-control.ts";
import { plainLine } from "../core/protocol/plain-text.ts";
import type { ThreadRef } from "../core/protocol/platform.ts";
import type { JobSettings } from "../core/store/jobs.ts";
import { nextDue, readSchedule, type Schedule } from "./schedule.ts";
import { openZone } from "./wall-clock.ts";

export interface DraftPlace {
  readonly thread: ThreadRef;
  readonly owner: { readonly id: string; readonly name: string };
  readonly defaultTimezone: string;
  /** Names of the agents that there are. */
  readonly agents: ReadonlySet<string>;
  /** Names of the skills that hold in a thread. */
  readonly skillsOf: (thread: ThreadRef) => ReadonlySet<string>;
  /** The channel that a name or an id means; null when it is not known. */
  readonly channelNamed: (name: string) => Promise<ThreadRef | null>;
  readonly now: number;
}

export type ReadDraft =
  | { readonly type: "job"; readonly settings: JobSettings; readonly schedule: Schedule }
  /** A sentence. */
  | { readonly type: "refused"; readonly reason: string };

const DEFAULTS = {
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

/** Why a reminder is refused whose time has come. */
export const PAST = "That time is past.";

const seconds = z.coerce.number("must be a number of seconds");
const whole = z.coerce.number("must be a number").int("must be a whole number");
const YES = ["yes", "true", "on", ""];

/** Fields that are typed, by their flag, as what they set. */
const fieldsSchema = z.object({
  name: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(80, "must have at most 80 letters")
    .regex(/^[^\p{C}`*_<>@#~|\\]+$/u, "must be letters, digits and plain signs"),
  prompt: z
    .string()
    .trim()
    .min(1, "must not be empty")
    .max(20_000, "must have at most 20,000 characters")
    .regex(/^[^\0]*$/u, "must not contain NUL"),
  model: z.string().regex(/^[^/\s]+\/\S+$/u, "must be written provider/model"),
  mode: z.enum(["read", "write", "agi"], "must be read, write or agi"),
  skill: z.string().min(1, "must not be empty"),
  tools: z.string().transform((names) => names.split(/[\s,]+/u).filter((name) => name !== "")),
  timeout: seconds.min(1, "must be at least 1 second").max(86_400, "must be at most a day"),
  budget: z.coerce.number("must be a number of dollars").positive("must be more than 0"),
  "catch-up": z.enum(["none", "latest"], "must be none or latest"),
  overlap: z.enum(["skip", "queue", "cancel-previous"], "must be skip, queue or cancel-previous"),
  attempts: whole.min(1, "must be at least 1").max(10, "must be at most 10"),
  jitter: seconds.min(0, "must not be negative").max(3_600, "must be at most an hour"),
  silent: z.string().transform((word) => YES.includes(word.toLowerCase())),
  "pause-after": whole.min(1, "must be at least 1"),
});

const typedSchema = fieldsSchema.partial();
type Typed = z.infer<typeof typedSchema>;

/** A job from what was typed; `known` is the job that is changed. */
export async function readDraft(draft: JobDraft, place: DraftPlace, known: JobSettings | null): Promise<ReadDraft> {
  const { name, cron, at, timezone: _zone, channel: _channel, agent, ...typed } = draft;
  const parsed = typedSchema.safeParse({ ...typed, ...(name === undefined ? {} : { name }) });
  if (!parsed.success) return refused(flagProblem(parsed.error));
  if (agent !== undefined && !place.agents.has(agent)) {
    return refused(`There is no agent \`${plainLine(agent, 80)}\`. Known: ${[...place.agents].join(", ")}.`);
  }
  const thread = await threadOf(draft.channel, place, known);
  if (typeof thread === "string") return refused(thread);
  const { skill } = parsed.data;
  const skills = skill === undefined ? null : place.skillsOf(thread);
  if (skill !== undefined && skills?.has(skill) === false) {
    return refused(`There is no skill \`${plainLine(skill, 80)}\`. Known: ${[...skills].join(", ")}.`);
  }
  const time = readTime({ cron, at, timezone: draft.timezone }, place, known);
  if (typeof time === "string") return refused(time);
  const prompt = parsed.data.prompt ?? known?.prompt;
  if (prompt === undefined) return refused("`--prompt` is missing: what is to be done?");

  const settings: JobSettings = {
    ...(known ?? { ...DEFAULTS, tools: [], ownerId: place.owner.id, ownerName: place.owner.name }),
    ...time,
    ...changed(parsed.data),
    ...(agent === undefined ? {} : { agent }),
    name: parsed.data.name ?? known?.name ?? nameFor(prompt),
    prompt,
    thread,
  };
  const read = readSchedule(settings);
  if (read.type === "refused") return refused(read.reason);
  const isDue = nextDue(read.schedule, place.now) !== null;
  return isDue ? { type: "job", settings, schedule: read.schedule } : refused(PAST);
}

function changed(typed: Typed): Partial<JobSettings> {
  const { model, mode, skill, tools, timeout, budget, overlap, attempts, jitter, silent } = typed;
  const [catchUp, pauseAfter] = [typed["catch-up"], typed["pause-after"]];
  return {
    ...(model === undefined ? {} : { model }),
    ...(mode === undefined ? {} : { mode }),
    ...(skill === undefined ? {} : { skill }),
    ...(tools === undefined ? {} : { tools }),
    ...(timeout === undefined ? {} : { timeoutMs: Math.round(timeout * 1_000) }),
    ...(budget === undefined ? {} : { budgetUsd: budget }),
    ...(catchUp === undefined ? {} : { catchUp }),
    ...(overlap === undefined ? {} : { overlap }),
    ...(attempts === undefined ? {} : { attempts }),
    ...(jitter === undefined ? {} : { jitterMs: Math.round(jitter * 1_000) }),
    ...(silent === undefined ? {} : { silentWhenUnchanged: silent }),
    ...(pauseAfter === undefined ? {} : { pauseAfter }),
  };
}

function flagProblem({ issues: [issue] }: z.ZodError): string {
  return issue === undefined ? "Something is not valid." : `\`--${String(issue.path[0])}\` ${issue.message}.`;
}

async function threadOf(
  channel: string | undefined,
  { thread, channelNamed }: DraftPlace,
  known: JobSettings | null,
): Promise<ThreadRef | string> {
  if (channel === undefined) return known?.thread ?? { ...thread, threadId: null };
  return (
    (await channelNamed(channel)) ??
    `I don't know the channel \`${plainLine(channel.replaceAll("`", ""), 80)}\`. Say it in that channel, or mention me there once.`
  );
}

interface TypedTime {
  readonly cron: string | undefined;
  readonly at: string | undefined;
  readonly timezone: string | undefined;
}

type Time = Pick<JobSettings, "cron" | "dueOnce" | "timezone">;

/** A string says what is wrong. */
function readTime(typed: TypedTime, { defaultTimezone, now }: DraftPlace, known: JobSettings | null): Time | string {
  const timezone = typed.timezone ?? known?.timezone ?? defaultTimezone;
  if (typed.cron !== undefined && typed.at !== undefined)
    return "Either `--cron` or `--at`: a job repeats, or it is due once.";
  if (typed.cron !== undefined) return { cron: typed.cron, dueOnce: null, timezone };
  if (typed.at !== undefined) {
    const at = readMoment(typed.at, timezone, now);
    return at === null
      ? `I don't understand \`--at\`. It is written \`2026-12-01 09:00\`, or \`in 2 hours\`.`
      : { cron: null, dueOnce: at, timezone };
  }
  if (known === null) return "`--cron` is missing: when is it due? `--at` makes it due once.";
  return { cron: known.cron, dueOnce: known.dueOnce, timezone };
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** `2026-12-01 09:00` on the zone's clock, a time with an offset, or `in 2 hours`. Milliseconds since the epoch. */
function readMoment(text: string, timezone: string, now: number): number | null {
  const [, amount, unit = ""] = /^in (\d+) ?(s|m|h|d|w)[a-z]*$/iu.exec(text.trim()) ?? [];
  if (amount !== undefined) return now + Number(amount) * (UNITS_MS[unit.toLowerCase()] ?? 0);
  const [, day, time] = /^(\d{4}-\d{2}-\d{2})[ T](\d{1,2}:\d{2}(?::\d{2})?)$/u.exec(text.trim()) ?? [];
  const zone = openZone(timezone);
  if (day !== undefined && time !== undefined && zone !== null) {
    const wall = Date.parse(
      `${day}T${time.padStart(time.length === 4 || time.length === 7 ? time.length + 1 : time.length, "0")}Z`,
    );
    return Number.isNaN(wall) ? null : zone.instantOf(wall);
  }
  const instant = /(?:Z|[+-]\d{2}:?\d{2})$/u.test(text.trim()) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? null : instant;
}

/** A job without a name is called after what it does. */
function nameFor(prompt: string): string {
  const plain = prompt
    .replaceAll(/[\n`*_<>@#~|\\]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return plain.length <= 40 ? plain || "job" : `${plain.slice(0, 39).trim()}…`;
}

function refused(reason: string): ReadDraft {
  return { type: "refused", reason };
}
