import type { ChatPlatform } from "../platform/chat-platform.ts";
import type { InboundEvent, Receive } from "../platform/inbound.ts";
import { sessionKeyOf } from "../platform/thread.ts";
import { toAppError } from "../protocol/errors.ts";
import type { Log } from "../protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "../protocol/runtime.ts";
import type { Store } from "../store/store.ts";

export interface MissedOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly platform: Pick<ChatPlatform, "descriptor" | "missed" | "health" | "postEphemeral">;
  readonly receive: Receive;
  /** IANA name of the time zone in which times are shown to people. */
  readonly timezone: string;
  /** Called with the error when the database rejects a write, and with null once it accepts one again. */
  readonly onStored: (failure: unknown) => void;
}

/** Interval at which a connected platform is recorded as seen, in milliseconds. */
const BEAT_MS = 30_000;
/** Maximum age of a missed message that is still answered, in milliseconds. */
const LONGEST_MS = 24 * 60 * 60_000;
/** Maximum time for which a dead connection may go unnoticed, in milliseconds. */
const UNNOTICED_MS = 2 * 60_000;
/** Maximum number of missed messages to fetch; the newest are kept. */
const MAX_MESSAGES = 200;
/** Minimum absence that people are told about, in milliseconds. Little or nothing is missed in a shorter one. */
export const MIN_ANNOUNCED_MS = 60_000;
/** Maximum number of session threads, most recently active first, that the platform is asked about. */
const KNOWN_THREADS = 50;

/**
 * Takes the messages that people wrote while the platform was disconnected, at the start and after each loss of
 * connection, and records until when it was connected. Runs until the signal aborts.
 */
export async function keepCaughtUp(options: MissedOptions, signal: AbortSignal): Promise<void> {
  const { clock, platform } = options;
  let isCaughtUp = false;
  let since: number | null = null;
  while (!signal.aborted) {
    const { connected, receivingSince = null } = platform.health();
    // The connection may have been replaced since the last check, losing what was sent in between.
    const isRenewed: boolean = isCaughtUp && receivingSince !== since;
    const take = () => takeMissed(options, { isRenewed }, signal);
    isCaughtUp = connected && ((isCaughtUp && !isRenewed) || (await tryTake(options, take, signal)));
    since = receivingSince;
    if (isCaughtUp) await recordPresence(options);
    await sleepUnlessAborted(clock, BEAT_MS, signal);
  }
  // Records the exact time of an orderly end.
  if (isCaughtUp) await recordPresence(options);
}

/**
 * Records that the platform is connected now. If that fails, the previous time stays: the next catch-up then fetches
 * more, and known messages are skipped.
 */
export async function recordPresence({ store, clock, log, platform, onStored }: MissedOptions): Promise<void> {
  try {
    await store.transaction((tx) => tx.presence.seen(platform.descriptor.name, clock.now()));
    onStored(null);
  } catch (error) {
    onStored(error);
    log.warn({ platform: platform.descriptor.name, err: error }, "presence_not_noted");
  }
}

/** Runs `take`. Returns false if it should be tried again. */
export async function tryTake(
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
    // Waiting does not fix a missing permission. New messages are received nevertheless.
    return code === "missing_scope" || code === "platform_auth";
  }
}

/**
 * Takes what was missed since the platform was last seen; nothing if it was never connected. A mere renewal of the
 * connection is not announced.
 */
async function takeMissed(
  options: MissedOptions,
  { isRenewed }: { readonly isRenewed: boolean },
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, platform } = options;
  const seenAt = await store.presence.seenAt(platform.descriptor.name);
  if (seenAt === null) return;
  const notice = isRenewed ? null : absenceNotice({ from: seenAt, to: clock.now() }, options.timezone);
  await takeMissedSince(options, { seenAt, notice }, signal);
}

export interface Gap {
  /** Until when nothing was missed, in milliseconds since the epoch. */
  readonly seenAt: number;
  /** What a thread reads before its first late answer; null for nothing. */
  readonly notice: string | null;
}

/** Takes the messages that people have written since the gap began, except those already taken. */
export async function takeMissedSince(
  options: MissedOptions,
  { seenAt, notice }: Gap,
  signal: AbortSignal,
): Promise<void> {
  const { store, clock, log, platform } = options;
  const now = clock.now();
  const since = Math.max(seenAt - UNNOTICED_MS, now - LONGEST_MS);
  await store.transaction((tx) => tx.presence.forgetAnswered(now - LONGEST_MS - UNNOTICED_MS));
  const { name, isOwn } = platform.descriptor;
  // Messages of platforms that keep their threads in our database cannot be missed.
  const known = isOwn ? [] : await store.sessions.recentThreads(name, KNOWN_THREADS);
  const missed = await platform.missed({ since, known, signal });
  const newest = missed.slice(-MAX_MESSAGES);
  if (newest.length < missed.length) log.warn({ dropped: missed.length - newest.length }, "missed_too_many");
  /** Keys of threads to which the absence has been announced. */
  const announced = new Set<string>();
  let taken = 0;
  for (const event of newest) {
    signal.throwIfAborted();
    if (await isKnown(event, store)) continue;
    taken += 1;
    await deliverLate(event, { notice, announced }, options);
  }
  if (taken > 0) log.info({ platform: name, since, taken }, "missed_taken");
}

/** Whether the event was taken before the gap. */
async function isKnown({ key }: InboundEvent, { inbox, presence }: Store): Promise<boolean> {
  return (await inbox.has(key)) || (await presence.wasAnswered(key));
}

/**
 * Takes one late event. Each thread is told of the absence once, before its first late answer. A failure is logged and
 * does not stop the other events.
 */
async function deliverLate(
  event: InboundEvent,
  { notice, announced }: Pick<Gap, "notice"> & { readonly announced: Set<string> },
  options: MissedOptions,
): Promise<void> {
  const { store, log, platform, receive } = options;
  const thread = sessionKeyOf(event.thread);
  try {
    const announces = event.kind === "message" && notice !== null && !announced.has(thread);
    const receipt = await receive(announces ? { ...event, late: notice } : event);
    if (receipt.type === "accepted" && (await isRequest(event.key, store))) announced.add(thread);
    if (receipt.type === "reply") await platform.postEphemeral(event.thread, event.person.id, receipt.message);
  } catch (error) {
    log.warn({ key: event.key, code: toAppError(error).code }, "missed_not_taken");
  }
}

async function isRequest(key: string, { inbox }: Store): Promise<boolean> {
  const body = (await inbox.byKey(key))?.body;
  return body?.kind === "message" && body.addressed;
}

/** The notice of an absence. It includes dates if the absence spans more than one day. */
export function absenceNotice({ from, to }: { from: number; to: number }, timeZone: string): string {
  const day = new Intl.DateTimeFormat("en-GB", { timeZone, day: "numeric", month: "short" });
  const time = new Intl.DateTimeFormat("en-GB", { timeZone, hour: "2-digit", minute: "2-digit" });
  const isOneDay = day.format(from) === day.format(to);
  const format = (at: number) => (isOneDay ? time.format(at) : `${day.format(at)} ${time.format(at)}`);
  return `⚠ I was away from ${format(from)} to ${format(to)}.`;
}
