import type { CommandServices } from "../command-line/command.ts";
import { busyThreads } from "../history/session-state.ts";
import { historyStrip } from "../jobs/history-strip.ts";
import type { JobOverview } from "../jobs/job-control.ts";
import type { HomeSession, HomeView } from "../platform/home-view.ts";
import type { InboundSurface } from "../platform/inbound.ts";
import type { Button } from "../platform/outgoing.ts";
import { channelKeyOf, sessionKeyOf } from "../platform/thread.ts";
import type { BusyState } from "../protocol/session-summary.ts";
import type { PersonsSession } from "../store/sessions.ts";
import { cut } from "../text/plain-text.ts";
import { introduction } from "./first-contact.ts";
import { promptButtons } from "./prompts.ts";

/** How long an inactive session stays on the page, in milliseconds. */
const RECENT_MS = 7 * 24 * 60 * 60_000;
const SESSIONS = 10;
const JOBS = 10;
const TITLE_CHARS = 80;

export type HomeServices = Pick<
  CommandServices,
  "store" | "runtime" | "jobs" | "configOf" | "agentOf" | "allowedHosts"
>;

/** A person's home page: an introduction, recent sessions, scheduled jobs, and prompts to begin with. */
export async function homeView(opened: InboundSurface, options: HomeServices): Promise<HomeView> {
  const { store, runtime, jobs } = options;
  const { person, thread, at } = opened;
  const since = runtime.clock.now() - RECENT_MS;
  const [sessions, busy, scheduled] = await Promise.all([
    store.sessions.ofPerson(person.id, { platform: thread.platform, since, limit: SESSIONS }),
    busyThreads(store, thread.platform, sessionKeyOf),
    jobs.overview({ person, thread, at }),
  ]);
  return {
    introduction: introduction(options, { channelKey: channelKeyOf(thread), isDirect: true }),
    sessions: sessions.map((session) => homeSession(session, busy)),
    jobs: scheduled.slice(0, JOBS).map(homeJob),
    addJob: { id: "jobs:add", label: "Add a job", style: "default" },
    prompts: promptButtons(),
  };
}

function homeJob(job: JobOverview): HomeView["jobs"][number] {
  const { name, sentence, nextAt, isEnabled, runs } = job;
  return {
    name,
    sentence: isEnabled ? sentence : `${sentence} (paused)`,
    nextAt,
    strip: historyStrip(runs),
    buttons: job.isTheirs ? jobButtons(job) : [],
  };
}

function jobButtons({ id, isEnabled, isFromFile }: JobOverview): readonly Button[] {
  const style = "default";
  return [
    { id: `job-run:${id}`, label: "Run now", style },
    isEnabled ? { id: `job-pause:${id}`, label: "Pause", style } : { id: `job-enable:${id}`, label: "Enable", style },
    ...(isFromFile ? [] : [{ id: `jobs:edit ${id}`, label: "Edit", style } as const]),
  ];
}

function homeSession({ thread, title, updatedAt }: PersonsSession, busy: ReadonlyMap<string, BusyState>): HomeSession {
  const [line = ""] = title.trim().split("\n", 1);
  const words = line === "" ? "(no text)" : cut(line, TITLE_CHARS);
  return { thread, title: words, state: busy.get(sessionKeyOf(thread)) ?? "ended", at: updatedAt };
}
