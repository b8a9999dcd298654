import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import { type ChatPlatform, type InboundEvent, type Receive, sessionKeyOf } from "../protocol/platform.ts";
import { type Clock, slept } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";

export interface MissedOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform: Pick<ChatPlatform, "descriptor" | "missed" | "health" | "postEphemeral">;
  readonly receive: Receive;
  /** IANA name: whose clock people read. */
  readonly timezone: string;
  /** Told what keeps the database from taking something; null once it does. */
  readonly stored: (failure: unknown) => void;
}

/** How often a platform that is connected is noted as such. Milliseconds. */
const BEAT_MS = 30_000;
/** What is older is not answered any more. Milliseconds. */
const LONGEST_MS = 24 * 60 * 60_000;
/** How long a connection may have been dead before that was noticed. Milliseconds. */
const UNNOTICED_MS = 2 * 60_000;
/** The newest of what was missed. */
const MOST_MESSAGES = 200;
/** People are told nothing of a shorter absence, where little or nothing was missed. Milliseconds. */
export const TOLD_MS = 60_000;
/** Threads of sessions that are named to the platform, those with the newest activity. */
const KNOWN_THREADS = 50;

/**
 * Takes what people wrote while the platform was not connected, at the start and after each loss, and
 * notes until when it was. Goes on until the signal aborts.
 */
export async function keepUp(options: MissedOptions, signal: AbortSignal): Promise<void> {
  const { clock, platform } = options;
  let isCaughtUp = false;
  let since: number | null = null;
  while (!signal.aborted) {
    const { connected, receivingSince = null } = platform.health();
    // Between two looks the connection may have begun anew, without what was sent before.
    const isRenewed: boolean = isCaughtUp && receivingSince !== since;
    const take = () => takeMissed(options, { isRenewed }, signal);
    isCaughtUp = connected && ((isCaughtUp && !isRenewed) || (await isTaken(options, take, signal)));
    since = receivingSince;
    if (isCaughtUp) await noteSeen(options);
    await slept(clock, BEAT_MS, signal);
  }
  // An orderly end is known to the second.
  if (isCaughtUp) await noteSeen(options);
}

/** Where this fails, the time before counts: more is asked for after the next loss, and what is known is left out. */
export async function noteSeen({ store, clock, log, platform, stored }: MissedOptions): Promise<void> {
  try {
    await store.transaction((tx) => tx.presence.seen(platform.descriptor.name, clock.now()));
    stored(null);
  } catch (error) {
    stored(error);
    log.warn({ platform: platform.descriptor.name, err: error }, "presence_not_noted");
  }
}

/** False when it has to be tried again. */
export async function isTaken(
  { log, platform }: Pick<MissedOptions, "log" | "platform">,
  take: () => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await take();
    return true;
  } catch (error) {
    if (signal.aborted) return false;
    const { code, message, detail } = toAppError(error);
    log.warn({ platform: platform.descriptor.name, code, message, ...detail }, "missed_not_read");
    // Waiting mends no permission: what comes from now on is taken all the same.
    return code === "missing_scope" || code === "platform_auth";
  }
}

/**
 * Takes what was missed; of a platform that was never connected before, nothing was. Nobody is told of the moment that a
 * connection took to begin anew.
 */
async function takeMissed(
  options: MissedOptions,
  { isRenewed }: { readonly isRenewed: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, platform } = options;
  const seenAt = await store.presence.seenAt(platform.descriptor.name);
  if (seenAt === null) return;
  const away = isRenewed ? null : awayLine({ from: seenAt, to: clock.now() }, options.timezone);
  await takeSince(options, { seenAt, away }, signal);
}

export interface Gap {
  /** Until when nothing was missed. Milliseconds since the epoch. */
  readonly seenAt: number;
  /** What a thread is told before its first late answer; null where it is told nothing. */
  readonly away: string | null;
}

/** Takes what people have written since, as far as it was not taken before. */
export async function takeSince(options: MissedOptions, { seenAt, away }: Gap, signal: AbortSignal): Promise<void> {
  const { store, clock, log, platform } = options;
  const now = clock.now();
  const since = Math.max(seenAt - UNNOTICED_MS, now - LONGEST_MS);
  await store.transaction((tx) => tx.presence.forgetAnswered(now - LONGEST_MS - UNNOTICED_MS));
  const { name, isOwn } = platform.descriptor;
  // What was written in threads of our own is in the store.
  const known = isOwn ? [] : await store.sessions.recentThreads(name, KNOWN_THREADS);
  const missed = await platform.missed(since, signal, known);
  const newest = missed.slice(-MOST_MESSAGES);
  if (newest.length < missed.length) log.warn({ dropped: missed.length - newest.length }, "missed_too_many");
  /** Keys of threads. */
  const told = new Set<string>();
  let taken = 0;
  for (const event of newest) {
    signal.throwIfAborted();
    if (await isKnown(event, store)) continue;
    taken += 1;
    await takeLate(event, { away, told }, options);
  }
  if (taken > 0) log.info({ platform: name, since, taken }, "missed_taken");
}

/** Whether it was taken before the platform was left. */
async function isKnown({ key }: InboundEvent, { inbox, presence }: Store): Promise<boolean> {
  return (await inbox.has(key)) || (await presence.wasAnswered(key));
}

/** Each thread is told once, before its first late answer. One message that cannot be taken stops no other. */
async function takeLate(
  event: InboundEvent,
  { away, told }: Pick<Gap, "away"> & { readonly told: Set<string> },
  options: MissedOptions,
): Promise<void> {
  const { store, log, platform, receive } = options;
  const thread = sessionKeyOf(event.thread);
  try {
    const isToTell = event.kind === "message" && away !== null && !told.has(thread);
    const receipt = await receive(isToTell ? { ...event, late: away } : event);
    if (receipt.type === "accepted" && (await isRequest(event.key, store))) told.add(thread);
    if (receipt.type === "reply") await platform.postEphemeral(event.thread, event.person.id, receipt.message);
  } catch (error) {
    log.warn({ key: event.key, code: toAppError(error).code }, "missed_not_taken");
  }
}

async function isRequest(key: string, { inbox }: Store): Promise<boolean> {
  const body = (await inbox.byKey(key))?.body;
  return body?.kind === "message" && body.addressed;
}

/** With the days where it was not on one. */
export function awayLine({ from, to }: { from: number; to: number }, timeZone: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "short" });
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  const isOneDay = day.format(from) === day.format(to);
  const said = (at: number) => (isOneDay ? time.format(at) : `${day.format(at)} ${time.format(at)}`);
  return `⚠ I was away from ${said(from)} to ${said(to)}.`;
}
