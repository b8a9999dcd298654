const RANDOM = new Set(["/dev/urandom", "/dev/random"]);

/** Bytes of a file that has no end, where nobody says how many. */
const MOST = 65_536;

/** What such a file gives of itself, one character for each byte; null for other files. */
export function deviceBytes(path: string, count: number | null): string | null {
  if (path === "/dev/zero") return "\0".repeat(count ?? MOST);
  if (!RANDOM.has(path)) return null;
  return Array.from({ length: count ?? MOST }, () => String.fromCharCode(Math.floor(Math.random() * 256))).join("");
}
