/** Milliseconds since the Unix epoch at which Discord's ids begin to count. Source: Discord docs, Snowflakes. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** When the thing with this id was made. Milliseconds since the Unix epoch. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

/** The smallest id that a thing made at this time can have. */
export function idAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms) - DISCORD_EPOCH_MS)) << 22n);
}
