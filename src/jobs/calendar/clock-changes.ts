import { readSchedule, type Schedule, type ScheduleText } from "./schedule.ts";
import { clockTimeIn, timeIn } from "./sentence.ts";

const DAY_MS = 86_400_000;
/** How far ahead changes of the clocks are looked for. Days. */
const DAYS_AHEAD = 366;

/** What the changes of the clocks in the year to come do to a job, a line each; none where they do nothing. */
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
  // What the wall shows as the clocks change, by the old offset and by the new one.
  const [old, fresh] = [zone.wallAt(change - 1) + 1, zone.wallAt(change)];
  const [begin, end] = [Math.min(old, fresh), Math.max(old, fresh)];
  const due = wall.nextRun(new Date(begin - 1))?.getTime() ?? Number.POSITIVE_INFINITY;
  if (due >= end) return [];
  const [day, range] = [
    timeIn(begin, "UTC").replace(/ [\d:]+$/u, ""),
    `${clockTimeIn(begin, "UTC")}–${clockTimeIn(end, "UTC")}`,
  ];
  return fresh > old
    ? [`On ${day} clocks skip ${range}: what is due then runs once, at ${clockTimeIn(end, "UTC")}.`]
    : [`On ${day} clocks show ${range} twice: what is due then runs the first time only.`];
}
