import { readSchedule, type Schedule, type ScheduleText } from "./schedule.ts";
import { clockTimeIn, timeIn } from "./sentence.ts";

const DAY_MS = 86_400_000;
/** How far ahead clock changes are looked for. In days. */
const DAYS_AHEAD = 366;

/** Describes the effects of the coming year's clock changes on a job, one line each; empty if there are none. */
export function clockChanges(text: ScheduleText, now: number): string[] {
  const read = readSchedule(text);
  if (read.type === "refused" || read.schedule.type === "once") return [];
  const { schedule } = read;
  const { zone } = schedule;
  const lines: string[] = [];
  for (let from = now; from < now + DAYS_AHEAD * DAY_MS; from += DAY_MS) {
    const isChanged = zone.wallAt(from + DAY_MS) - zone.wallAt(from) !== DAY_MS;
    if (isChanged) lines.push(...changeAt(zone.changeBetween(from, from + DAY_MS), schedule));
  }
  return lines;
}

function changeAt(change: number, { zone, wall }: Extract<Schedule, { type: "cron" }>): string[] {
  // The wall time at the moment of the change, in the old offset and in the new one.
  const [old, fresh] = [zone.wallAt(change - 1) + 1, zone.wallAt(change)];
  const [begin, end] = [Math.min(old, fresh), Math.max(old, fresh)];
  const due = wall.nextRun(new Date(begin - 1))?.getTime() ?? Number.POSITIVE_INFINITY;
  if (due >= end) return [];
  const [day, range] = [
    timeIn(begin, "UTC").replace(/ [\d:]+$/u, ""),
    `${clockTimeIn(begin, "UTC")}–${clockTimeIn(end, "UTC")}`,
  ];
  return fresh > old
    ? [`On ${day} clocks skip ${range}: anything due then runs once, at ${clockTimeIn(end, "UTC")}.`]
    : [`On ${day} clocks show ${range} twice: anything due then runs only the first time.`];
}
