/** The day of a time in milliseconds since the epoch, in UTC: `2026-11-23`. */
export function utcDay(at: number): string {
  return new Date(at).toISOString().slice(0, 10);
}

/** The day and minute of such a time: `2026-11-23 09:12`. */
export function utcMinute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace("T", " ");
}
