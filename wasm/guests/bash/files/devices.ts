import { Refusal } from "../text/command.ts";

const RANDOM = new Set(["/dev/urandom", "/dev/random"]);

/** Number of bytes read from an endless device if no count is given. */
const UNSAID = 65_536;

/** Whether the present statement has read a device without a count, and so received a truncated content. */
const reading = { isCut: false };

/** Resets the truncation mark when a statement begins. */
export function beginReading(): void {
  reading.isCut = false;
}

/** Throws if a device was truncated and supplied less than was asked for. */
export function requireWhole(has: number, asked: number): void {
  if (reading.isCut && has < asked)
    throw new Refusal(
      `files and commands that have no end give ${UNSAID} bytes here where nobody says how many: read them with head -c COUNT FILE`,
    );
}

/** Maximum size of generated content, in MB; more would not fit with its copies into the guest's memory. */
const MAX_MB = 10;

/** Throws if generated content would exceed the maximum size. `size` is in bytes. */
export function requireRoom(size: number, name: string): void {
  if (size > MAX_MB * 1024 * 1024) throw new Refusal(`at most ${MAX_MB} MB of ${name} are made here at once`);
}

/** Content of an endless device, one character for each byte; null for other files. */
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

/** The beginning of a text that repeats a line without end. */
export function endlessText(line: string): string {
  reading.isCut = true;
  return line.repeat(Math.ceil(UNSAID / line.length));
}

function randomBytes(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(Math.floor(Math.random() * 256))).join("");
}
