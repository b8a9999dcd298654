import { z } from "zod";
import { readJobForm, WHEN } from "../../../core/jobs/job-form.ts";
import type { CommandOutcome } from "../../../feature.ts";
import { commandAt, placeOfChannel } from "../command.ts";
import type { ConsoleScope } from "../scope.ts";
import type { Viewer } from "../visibility.ts";
import { placedJob } from "./team-jobs.ts";

const VERBS = ["run", "enable", "disable", "edit", "remove"] as const;

export const jobCommandSchema = z.object({
  clickId: z.uuid(),
  /** The existing job to act on, or the channel of a new one. */
  target: z.discriminatedUnion("verb", [
    z.object({ verb: z.enum(VERBS), jobId: z.string().min(1).max(200) }),
    z.object({ verb: z.literal("add"), channelId: z.string().min(1).max(200) }),
  ]),
  /** Version of the job when its form was opened. */
  version: z.string().max(64).optional(),
  filled: z.record(z.string().max(64), z.string().max(20_000)).optional(),
});

type JobCommand = z.infer<typeof jobCommandSchema>;

/**
 * Runs a command on a job; null if the viewer sees no such job or channel. The command itself decides who may do what,
 * as in the channel.
 */
export async function commandJob(
  viewer: Viewer,
  command: JobCommand,
  world: ConsoleScope,
): Promise<CommandOutcome | null> {
  const { target, filled, version, clickId } = command;
  const placed = await placeOf(target, world);
  if (placed === null || !(await world.visibility.seesChannel(viewer, placed.channel))) return null;
  const job = target.verb === "add" ? "" : ` ${target.jobId}${version === undefined ? "" : `@${version}`}`;
  const line = { clickId, name: "jobs", args: `${target.verb}${job}`, filled };
  return commandAt(viewer, { place: placed, line }, world);
}

export const whenQuerySchema = z.object({
  /** The job that changes, or the channel of a new one. */
  job: z.string().max(200).default(""),
  channel: z.string().max(200).default(""),
  when: z.string().max(200),
  timezone: z.string().max(100).default(""),
});

/** Describes when a job would be due, while its form is being filled in; changes nothing. Null as for `commandJob`. */
export async function dueTimes(
  viewer: Viewer,
  { job, channel, when, timezone }: z.infer<typeof whenQuerySchema>,
  world: ConsoleScope,
): Promise<{ readonly words: string; readonly next: readonly string[] } | null> {
  const placed = await placeOf(job === "" ? { verb: "add", channelId: channel } : { verb: "edit", jobId: job }, world);
  if (placed === null || !(await world.visibility.seesChannel(viewer, placed.channel))) return null;
  const person = await world.visibility.actor(viewer, placed);
  const read = readJobForm({ [WHEN]: when, timezone, prompt: WHATEVER }, { isNew: true });
  if (person === null || when.trim() === "" || read.type === "wrong") return { words: "", next: [] };
  const { thread } = placed;
  const preview = await world.host.jobs.preview(read.input, { person, thread, at: world.host.runtime.clock.now() });
  if (preview.type === "refused") return { words: preview.reason, next: [] };
  return { words: preview.sentence, next: preview.next };
}

/** A placeholder: what a job does has no influence on when it is due. */
const WHATEVER = "?";

async function placeOf(target: JobCommand["target"], world: ConsoleScope) {
  return target.verb === "add" ? placeOfChannel(target.channelId, world) : placedJob(target.jobId, world);
}
