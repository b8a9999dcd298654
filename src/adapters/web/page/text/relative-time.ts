const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** How long ago `at` was, in short form. Both times are in milliseconds since the epoch. */
export function ago(at: number, now: number): string {
  const ms = now - at;
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return `${Math.floor(ms / HOUR)} h`;
  if (ms < 7 * DAY) return `${Math.floor(ms / DAY)} d`;
  return new Date(at).toLocaleDateString(undefined, { day: "numeric", month: "short" });
}

/** How long something has lasted, in short form. Both times are in milliseconds since the epoch. */
export function lasting(since: number, now: number): string {
  const ms = now - since;
  if (ms < MINUTE) return "< 1 min";
  return ms < DAY ? ago(since, now) : `${Math.floor(ms / DAY)} d`;
}

/** How long until `at`, in short form. Both times are in milliseconds since the epoch. */
export function until(at: number, now: number): string {
  const ms = at - now;
  if (ms < MINUTE) return "now";
  if (ms < HOUR) return `in ${Math.round(ms / MINUTE)} min`;
  if (ms < DAY) return `in ${Math.round(ms / HOUR)} h`;
  return new Date(at).toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" });
}

/** The clock time of a message, with the date unless it is from today. */
export function clockTime(at: number, now: number): string {
  const date = new Date(at);
  const time = date.toLocaleTimeString(undefined, { hour: "2-digit", minute: "2-digit" });
  const isToday = date.toDateString() === new Date(now).toDateString();
  return isToday ? time : `${date.toLocaleDateString(undefined, { day: "numeric", month: "short" })}, ${time}`;
}

/** A file size in readable units. */
export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  if (size < 1024 * 1024) return `${Math.round(size / 1024)} KB`;
  return `${(size / 1024 / 1024).toFixed(1)} MB`;
}
