import { z } from "zod";
import { channelOf } from "../../../core/store/sessions.ts";
import type { FeatureHost, JobTold } from "../../../feature.ts";
import { eventBy } from "../press.ts";
import { mayPress } from "../session.ts";
import type { Viewer } from "../sight.ts";
import { consoleReads } from "../store.ts";
import { type JobsWorld, placedJob, whyNot } from "./team-jobs.ts";

export interface CommandingJobs extends JobsWorld {
  readonly host: JobsWorld["host"] & Pick<FeatureHost, "receive" | "audit">;
}

const VERBS = ["run", "enable", "disable", "edit", "remove"] as const;

export const jobCommandSchema = z.object({
  clickId: z.uuid(),
  /** What is done with a job, or a new one in a channel. */
  target: z.discriminatedUnion("verb", [
    z.object({ verb: z.enum(VERBS), jobId: z.string().min(1).max(200) }),
    z.object({ verb: z.literal("add"), channelId: z.string().min(1).max(200) }),
  ]),
  /** How the job stood when its form was opened. */
  version: z.string().max(64).optional(),
  filled: z.record(z.string().max(64), z.string().max(20_000)).optional(),
});

type JobCommand = z.infer<typeof jobCommandSchema>;

/** Null: there is no such job, or channel, that the viewer may see. The command itself says who may do what, as it does in the channel. */
export async function commandJob(viewer: Viewer, command: JobCommand, world: CommandingJobs): Promise<JobTold | null> {
  const { target, filled, version, clickId } = command;
  const placed = await placeOf(target, world);
  if (placed === null || !(await world.sight.seesChannel(viewer, placed.channel))) return null;
  const actor = mayPress(viewer) ? await world.sight.actor(viewer, placed) : null;
  if (actor === null) return words(whyNot(viewer, placed, world));
  const job = target.verb === "add" ? "" : ` ${target.jobId}${version === undefined ? "" : `@${version}`}`;
  const before = await standingOf(target, world);
  const receipt = await world.host.receive({
    ...eventBy(actor, placed, clickId),
    kind: "command",
    name: "jobs",
    args: `${target.verb}${job}`,
    at: world.host.runtime.clock.now(),
    ...(filled === undefined ? {} : { filled }),
  });
  if (receipt.type === "refused") return words(receipt.reason);
  if (receipt.type !== "reply") return words(null);
  const { message, form = null, problems = {} } = receipt;
  if ((await standingOf(target, world)) !== before) await noted(viewer, { command, about: placed.name }, world);
  return { words: message.markdown, form, problems };
}

async function placeOf(target: JobCommand["target"], world: CommandingJobs) {
  if (target.verb !== "add") {
    const placed = await placedJob(target.jobId, world);
    return placed === null ? null : { ...placed, name: placed.job.name };
  }
  const [channel] = await world.host.store.tables(consoleReads).channelsAmong([target.channelId]);
  if (channel === undefined) return null;
  const thread = channelOf(channel.id, channel.workspaceId.slice(channel.workspaceId.indexOf(":") + 1));
  return { channel, thread, name: channel.name };
}

/** What a command changes where it is carried out, which its answer tells people alone. */
async function standingOf(target: JobCommand["target"], { host }: CommandingJobs): Promise<string> {
  const { jobs, occurrences } = host.store;
  if (target.verb === "add") return JSON.stringify((await jobs.all()).jobs.map(({ id }) => id).toSorted());
  const { jobId } = target;
  const [newest] = target.verb === "run" ? await occurrences.newest(jobId, 1) : [];
  return JSON.stringify([await jobs.get(jobId), newest?.id ?? null]);
}

function words(text: string | null): JobTold {
  return { words: text, form: null, problems: {} };
}

interface Noted {
  readonly command: JobCommand;
  readonly about: string;
}

async function noted(viewer: Viewer, { command, about }: Noted, { host }: CommandingJobs): Promise<void> {
  const by = viewer.kind === "account" ? viewer.account.name : "operator";
  await host.audit({ by, act: `job.${command.target.verb}`, about });
}
