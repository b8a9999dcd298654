import { z } from "zod";
import type { JobRequest } from "../../../core/jobs/job-control.ts";
import type { JobRow } from "../../../core/store/jobs.ts";
import type { TeamJob, TeamJobs, TeamJobView } from "../../../feature.ts";
import { channelName, seenAmong } from "../list.ts";
import { refusalAt } from "../press.ts";
import type { ConsoleScope } from "../scope.ts";
import { mayPress } from "../session.ts";
import { type ChannelRow, consoleReads } from "../store.ts";
import { operatorOn, type Place, type Viewer } from "../visibility.ts";

const PAGE = 50;
/** A position: a job's id and name. */
const POSITION = /^(\S*) (.*)$/su;

export const jobsQuerySchema = z.object({
  /** Text to find in the job's name. */
  text: z.string().max(200).default(""),
  state: z.enum(["", "enabled", "paused", "failing"]).default(""),
  /** Position of the previous page's last job, which may be gone by now. */
  after: z.string().max(500).default(""),
});

type Query = z.infer<typeof jobsQuerySchema>;

export interface PlacedJob extends Place {
  readonly job: JobRow;
}

/** Jobs of all channels that the viewer sees, by name. */
export async function listJobs(viewer: Viewer, query: Query, world: ConsoleScope): Promise<TeamJobs> {
  const seen = await seenJobs(viewer, query, world);
  const [, id = "", name = ""] = POSITION.exec(query.after) ?? [];
  const rest = query.after === "" ? seen : seen.filter(({ job }) => byName(job, { id, name }) > 0);
  const shown = rest.slice(0, PAGE);
  const overviews = await world.host.jobs.overviewOf(shown.map(({ job }) => job));
  const rows = shown.flatMap((placed, index) => {
    const overview = overviews[index];
    return overview === undefined ? [] : [{ ...overview, ...namesOf(placed, world) }];
  });
  const last = shown.at(-1)?.job;
  return { rows, next: last === undefined || rest.length <= PAGE ? null : `${last.id} ${last.name}` };
}

/** Null if there is no such job, or none that the viewer may see. */
export async function showJob(viewer: Viewer, id: string, world: ConsoleScope): Promise<TeamJobView | null> {
  const placed = await placedJob(id, world);
  if (placed === null || !(await world.visibility.seesChannel(viewer, placed.channel))) return null;
  const actor = mayPress(viewer) ? await world.visibility.actor(viewer, placed) : null;
  const request: JobRequest = {
    person: actor ?? operatorOn(placed.thread.platform),
    thread: placed.thread,
    at: world.host.runtime.clock.now(),
  };
  const view = await world.host.jobs.view(id, request);
  if (view === null) return null;
  const refusal = actor === null ? refusalAt(viewer, placed, world.host) : null;
  return { ...view, isTheirs: actor !== null && view.isTheirs, ...namesOf(placed, world), refusal };
}

async function seenJobs(viewer: Viewer, { text, state }: Query, world: ConsoleScope): Promise<PlacedJob[]> {
  const words = text.trim().toLowerCase();
  const wanted = (await placedJobs(world)).filter(
    ({ job }) => job.name.toLowerCase().includes(words) && isIn(state, job),
  );
  const channels = new Map(wanted.map(({ channel }) => [channel.id, channel]));
  const seen = await seenAmong(viewer, [...channels.values()], world.visibility);
  const ids = new Set(seen.map(({ id }) => id));
  return wanted.filter(({ channel }) => ids.has(channel.id));
}

function isIn(state: Query["state"], { enabled, failures }: JobRow): boolean {
  if (state === "failing") return failures > 0;
  return state === "" || enabled === (state === "enabled");
}

/** Null if there is no such job, or it cannot be read. */
export async function placedJob(id: string, { host }: ConsoleScope): Promise<PlacedJob | null> {
  const job = await host.store.jobs.get(id);
  if (job === null) return null;
  const [channel] = await host.store.tables(consoleReads).channelsAmong([job.channelId]);
  return inChannel(job, channel);
}

async function placedJobs({ host }: ConsoleScope): Promise<PlacedJob[]> {
  const { jobs } = await host.store.jobs.all();
  const ids = new Set(jobs.map(({ channelId }) => channelId));
  const rows = await host.store.tables(consoleReads).channelsAmong([...ids]);
  const channels = new Map(rows.map((row) => [row.id, row]));
  return jobs.map((job) => inChannel(job, channels.get(job.channelId))).toSorted((a, b) => byName(a.job, b.job));
}

type Position = Pick<JobRow, "id" | "name">;

function byName(a: Position, b: Position): number {
  return a.name.localeCompare(b.name) || a.id.localeCompare(b.id);
}

function inChannel(job: JobRow, channel: ChannelRow | undefined): PlacedJob {
  return { job, channel: channel ?? unknownChannel(job), thread: job.thread };
}

/** Stands for a channel in which nobody has said anything yet. */
function unknownChannel({ channelId, thread }: JobRow): ChannelRow {
  const { platform, workspaceId } = thread;
  return {
    id: channelId,
    workspaceId: `${platform}:${workspaceId}`,
    workspaceName: workspaceId,
    name: thread.channelId,
    kind: "channel",
  };
}

function namesOf({ job, channel, thread }: PlacedJob, { host }: ConsoleScope): Names {
  return { platform: host.describe(thread.platform).title, channel: channelName(channel), owner: job.ownerName };
}

type Names = Pick<TeamJob, "platform" | "channel" | "owner">;
