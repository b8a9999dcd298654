/** Start of Discord's epoch for ids, in milliseconds since the Unix epoch. Source: Discord docs, Snowflakes. */
const DISCORD_EPOCH_MS = 1_420_070_400_000;

/** Creation time encoded in an id, in milliseconds since the Unix epoch. */
export function timeOf(id: string): number {
  return Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS;
}

/** The smallest id for this creation time. */
export function idAt(ms: number): string {
  return String(BigInt(Math.max(0, Math.floor(ms) - DISCORD_EPOCH_MS)) << 22n);
}
