import type { Cluster } from "./core/cluster.ts";
import { holdUntil } from "./core/hold-roles.ts";
import type { MessageFinaliser } from "./core/people/message-finaliser.ts";
import { keepUp, type MissedOptions } from "./core/people/missed.ts";
import { keepUpTogether } from "./core/people/shared-presence.ts";
import { finaliseForDead, finaliseLeft } from "./core/people/stale-messages.ts";
import { Untaken } from "./core/people/untaken.ts";
import type { Workspaces } from "./core/permissions/workspaces.ts";
import { type AppError, toAppError } from "./core/protocol/errors.ts";
import type { Log } from "./core/protocol/log.ts";
import type { ChatPlatform, Receive } from "./core/protocol/platform.ts";
import type { Clock } from "./core/protocol/runtime.ts";
import type { Store } from "./core/store/store.ts";

/** A platform that takes longer to connect is mentioned, and after as long looked at again. Milliseconds. */
const SLOW_CONNECT_MS = 3_000;

export interface ConnectScope {
  readonly store: Store;
  readonly receive: Receive;
  readonly workspaces: Pick<Workspaces, "begin">;
  readonly finaliser: Pick<MessageFinaliser, "finaliseStale">;
  /** Null where this process is the only one. */
  readonly shared: Cluster | null;
  readonly clock: Clock;
  readonly log: Log;
  /** IANA name: whose clock people read. */
  readonly timezone: string;
  /** Told what keeps the database from taking something; null once it does. */
  readonly stored: (failure: unknown) => void;
  /** A line for the operator's terminal. */
  readonly say: (line: string) => void;
  /** A platform can never connect. */
  readonly fail: (error: AppError) => void;
  readonly parts: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/**
 * What a process before this one left goes on when it can be written to, but this much later at most: hundreds of runs at
 * once would keep the platforms from connecting. Milliseconds.
 */
const HEAD_START_MS = 1_000;

/** Platforms connect on their own time: one that is down keeps no other waiting. Resolves when they have had their head start. */
export async function connectPlatforms(platforms: Iterable<ChatPlatform>, connecting: ConnectScope): Promise<void> {
  const connected = [...platforms].map((platform) => connect(platform, connecting));
  const early = new AbortController();
  const late = connecting.clock.sleep(HEAD_START_MS, AbortSignal.any([connecting.signal, early.signal]));
  await Promise.race([Promise.all(connected), late]);
  early.abort();
}

/** Resolves when it is connected, or never can be. */
function connect(platform: ChatPlatform, connecting: ConnectScope): Promise<void> {
  const { parts, fail, signal } = connecting;
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  parts.defer(() => platform.stop());
  const { promise: connected, resolve: isConnected } = Promise.withResolvers<void>();
  const working = attend(platform, { ...connecting, signal: either, isConnected })
    .catch((error: unknown) => {
      if (!either.aborted) fail(toAppError(error));
    })
    .finally(isConnected);
  parts.defer(async () => {
    leaving.abort();
    await working;
  });
  return connected;
}

/** Until the signal aborts. */
async function attend(platform: ChatPlatform, connecting: ConnectScope & { isConnected: () => void }): Promise<void> {
  const { say, parts, signal, isConnected } = connecting;
  const { title, isOwn } = platform.descriptor;
  const connectedNow = sayWhileAway(platform, connecting);
  parts.defer(async () => connectedNow());
  const untaken = new Untaken({ ...connecting, platform });
  const { receive } = untaken;
  await platform.start(receive, signal);
  await beginWorkspaces(platform, connecting);
  isConnected();
  connectedNow();
  if (!isOwn) say(`✓ ${title}: ${platform.health().detail}`);
  const catchingUp = catchUp({ ...connecting, platform, receive }, connecting);
  await Promise.all([finaliseStale(platform, connecting), catchingUp, untaken.keepTaking(signal)]);
}

function catchUp(missed: MissedOptions, { shared, signal }: ConnectScope): Promise<void> {
  return shared === null ? keepUp(missed, signal) : keepUpTogether({ ...missed, cluster: shared }, signal);
}

/** Where there are several processes, one finalises what any of them has left. */
function finaliseStale({ descriptor: { name } }: ChatPlatform, connecting: ConnectScope): Promise<void> {
  const { shared, signal } = connecting;
  const stale = { ...connecting, platform: name };
  if (shared === null) return finaliseLeft(stale, signal);
  const work = (held: AbortSignal) => finaliseForDead({ ...stale, cluster: shared }, held);
  return holdUntil(shared, { role: `finaliser:${name}`, work }, signal);
}

/** What comes is asked about in any case: where this fails, the first event does it. */
async function beginWorkspaces(
  { descriptor: { name } }: ChatPlatform,
  { workspaces, log }: ConnectScope,
): Promise<void> {
  try {
    await workspaces.begin(name);
  } catch (error) {
    log.warn({ platform: name, err: error }, "workspaces_not_recorded");
  }
}

/** Says why a platform is not connected yet, and again once that is another reason. What it returns ends it. */
function sayWhileAway(platform: ChatPlatform, { clock, say }: Pick<ConnectScope, "clock" | "say">): () => void {
  let said = "";
  const look = () => {
    const { detail, nextTryAt } = platform.health();
    if (detail !== said) say(`⏳ ${platform.descriptor.title}: ${detail}. ${again(nextTryAt, clock.now())}`);
    said = detail;
    cancel = clock.after(SLOW_CONNECT_MS, look);
  };
  let cancel = clock.after(SLOW_CONNECT_MS, look);
  return () => cancel();
}

function again(nextTryAt: number | undefined, now: number): string {
  if (nextTryAt === undefined) return "I keep trying.";
  const seconds = Math.ceil((nextTryAt - now) / 1_000);
  return seconds > 0 ? `I try again in ${seconds} s.` : "I try again now.";
}
