import { Refusal } from "../text/command.ts";

const RANDOM = new Set(["/dev/urandom", "/dev/random"]);

/** Bytes of a file that has no end, where nobody says how many. */
const UNSAID = 65_536;

/** Whether the present statement has read such a file as far as it is made here. */
const reading = { isCut: false };

/** A statement begins. */
export function beginReading(): void {
  reading.isCut = false;
}

/** Throws where so much is asked for of what such a file has given, and there is less. */
export function requireWhole(has: number, asked: number): void {
  if (reading.isCut && has < asked)
    throw new Refusal(
      `files that have no end give ${UNSAID} bytes here where nobody says how many: read them with head -c COUNT FILE`,
    );
}

/** More does not fit beside its copies into the guest's memory. */
const MOST_MB = 10;

/** Throws for a file that is to be made larger than that. `size` in bytes. */
export function requireRoom(size: number, name: string): void {
  if (size > MOST_MB * 1024 * 1024) throw new Refusal(`at most ${MOST_MB} MB of ${name} are made here at once`);
}

/** What such a file gives of itself, one character for each byte; null for other files. */
export function deviceBytes(path: string, count: number | null): string | null {
  if (path !== "/dev/zero" && !RANDOM.has(path)) return null;
  const size = count ?? UNSAID;
  reading.isCut ||= count === null;
  requireRoom(size, path);
  if (path === "/dev/zero") return "\0".repeat(size);
  let bytes = "";
  while (bytes.length < size) bytes += randomBytes(Math.min(UNSAID, size - bytes.length));
  return bytes;
}

function randomBytes(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(Math.floor(Math.random() * 256))).join("");
}
