import { stopped } from "deckhand:sandbox/clock@0.1.0";

/** The exit code of a command that ran out of time. */
export const TIMED_OUT = 124;

/** Interval at which the guest polls for a stop while a command waits, in milliseconds. */
const EVERY_MS = 50;

/** Only every fourth look asks the host: a busy shell looks often, and always asking would cost a fifth of its time. */
const ASKS_EVERY = 4;

/** Programs within the shell that loop for long look after so many rounds, each of which takes some microseconds. */
const ROUNDS = 512;
/** Time for the shell to notice its limit itself, in milliseconds. */
const PATIENCE_MS = 250;

/** When programs within the shell end, in milliseconds since the epoch. */
let deadline = Number.POSITIVE_INFINITY;
let ended: "stopped" | "late" | null = null;

/** When the innermost `timeout` ends its command, in milliseconds since the epoch, and whether it did so here. */
let limit = { at: Number.POSITIVE_INFINITY, hasEnded: false };

/** Begins a limit within the call; the returned function ends it, and says whether a program was ended by it. */
export function beginLimit(limitMs: number): () => boolean {
  const outer = limit;
  const own = { at: Math.min(outer.at, Date.now() + limitMs), hasEnded: false };
  limit = own;
  return () => {
    limit = outer;
    return own.hasEnded;
  };
}

/** Throws if the call, or the `timeout` around a program, is over; only some rounds look. */
export function endIfOver(round: number): void {
  if (round % ROUNDS !== 0) return;
  const now = Date.now();
  if (stopped()) ended = "stopped";
  else if (now >= deadline) ended = "late";
  limit.hasEnded = now >= limit.at;
  if (ended !== null || limit.hasEnded) throw new Error("aborted");
}

/** Why a program within the shell was ended; null if none was. */
export function programEnded(): "stopped" | "late" | null {
  return ended;
}

/**
 * Returns a signal that aborts once the call is stopped: a busy shell polls it, and a timer covers one that sleeps.
 * `timeoutMs` is the limit of the call from now on.
 */
export function stopSignal(timeoutMs: number): AbortSignal {
  deadline = Date.now() + timeoutMs + PATIENCE_MS;
  const controller = new AbortController();
  const { signal } = controller;
  let aborted = false;
  let isAborting = false;
  let looks = 0;
  const ask = (): void => {
    if (aborted || isAborting || !stopped()) return;
    isAborting = true;
    controller.abort();
  };
  const look = (): boolean => {
    looks += 1;
    if (looks % ASKS_EVERY === 0) ask();
    return aborted;
  };
  const set = (value: boolean): void => {
    aborted = value;
  };
  Object.defineProperty(signal, "aborted", { get: look, set });
  setInterval(ask, EVERY_MS);
  return signal;
}

/** Lets timers run that are due, such as the one of `timeout`: a shell that never waits does not return to them. */
export async function runTimers(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 0));
}

/**
 * Whether the engine has run out of memory, after which nothing else in a script can be trusted to run. It throws null if
 * there is no memory for an error.
 */
export function isMemoryError(error: unknown): boolean {
  if (error === null) return true;
  return error instanceof Error && error.name === "InternalError" && error.message === "out of memory";
}

/** Last line that the shell, each nested shell, awk and seq print about a script that timed out or was stopped. */
const ENDED =
  /^(?:(?:awk|seq): aborted|bash: (?:execution aborted|\w+ aborted|.* exceeded (?:its )?execution deadline.*))$/;

/** What a script had printed before it was ended. */
export function withoutEnd(printed: string): string {
  const lines = printed.split("\n");
  const last = lines.pop();
  if (last !== "") return printed;
  while (ENDED.test(lines.at(-1) ?? "")) lines.pop();
  return lines.map((line) => `${line}\n`).join("");
}
