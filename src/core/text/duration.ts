/** `0.4 s`, `6 s`, `1 min 5 s`, `2 h 30 min`. */
export function duration(ms: number): string {
  const seconds = Math.max(0, ms) / 1000;
  if (seconds < 1) return `${seconds.toFixed(1)} s`;
  const whole = Math.floor(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return minutes % 60 === 0 ? `${minutes / 60} h` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Running time for a head line, in whole seconds so that it changes at most once a second. */
export function elapsed(ms: number): string {
  return duration(Math.floor(ms / 1000) * 1000).replace(/^0\.0 s$/u, "0 s");
}
