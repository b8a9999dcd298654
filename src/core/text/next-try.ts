/** `Next try in 12 s.` Both arguments in milliseconds since the epoch. */
export function nextTry(at: number, now: number): string {
  const seconds = Math.ceil((at - now) / 1_000);
  return `Next try ${seconds <= 0 ? "now" : `in ${seconds} s`}.`;
}
