import type { Cluster } from "./core/cluster.ts";
import { holdUntil } from "./core/hold-roles.ts";
import type { MessageFinaliser } from "./core/people/message-finaliser.ts";
import { keepCaughtUp, type MissedOptions } from "./core/people/missed-messages.ts";
import { keepCaughtUpTogether } from "./core/people/shared-catch-up.ts";
import { finaliseAbandoned, finaliseForDeadProcesses } from "./core/people/stale-messages.ts";
import { UnstoredMessages } from "./core/people/unstored-messages.ts";
import type { Workspaces } from "./core/permissions/workspaces.ts";
import type { ChatPlatform } from "./core/platform/chat-platform.ts";
import type { Receive } from "./core/platform/inbound.ts";
import { type AppError, toAppError } from "./core/protocol/errors.ts";
import type { Log } from "./core/protocol/log.ts";
import type { Clock } from "./core/protocol/runtime.ts";
import type { Store } from "./core/store/store.ts";

/** Time after which a platform that is not connected is mentioned, and interval of later checks. In milliseconds. */
const SLOW_CONNECT_MS = 3_000;

export interface ConnectScope {
  readonly store: Store;
  readonly receive: Receive;
  readonly workspaces: Pick<Workspaces, "begin">;
  readonly finaliser: Pick<MessageFinaliser, "finaliseStale">;
  /** Null if this is the only process. */
  readonly shared: Cluster | null;
  readonly clock: Clock;
  readonly log: Log;
  /** IANA name of the time zone in which times are shown to people. */
  readonly timezone: string;
  /** Called with the error when the database rejects a write, and with null once it accepts one again. */
  readonly onStored: (failure: unknown) => void;
  /** Prints a line on the operator's terminal. */
  readonly say: (line: string) => void;
  /** Called if a platform can never connect. */
  readonly fail: (error: AppError) => void;
  readonly parts: AsyncDisposableStack;
  readonly signal: AbortSignal;
}

/**
 * Maximum time that the program waits for its platforms before it continues runs of an earlier process, in
 * milliseconds. Hundreds of runs at once would keep the platforms from connecting.
 */
const HEAD_START_MS = 1_000;

/**
 * Connects all platforms independently, so that one that is down does not delay the others. Resolves when all are
 * connected or the head start is over.
 */
export async function connectPlatforms(platforms: Iterable<ChatPlatform>, connecting: ConnectScope): Promise<void> {
  const connected = [...platforms].map((platform) => connect(platform, connecting));
  const early = new AbortController();
  const late = connecting.clock.sleep(HEAD_START_MS, AbortSignal.any([connecting.signal, early.signal]));
  await Promise.race([Promise.all(connected), late]);
  early.abort();
}

/** Connects one platform. Resolves when it is connected or has failed permanently. */
function connect(platform: ChatPlatform, connecting: ConnectScope): Promise<void> {
  const { parts, fail, signal } = connecting;
  const leaving = new AbortController();
  const either = AbortSignal.any([signal, leaving.signal]);
  parts.defer(() => platform.stop());
  const { promise: connected, resolve: isConnected } = Promise.withResolvers<void>();
  const working = runPlatform(platform, { ...connecting, signal: either, isConnected })
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

/** Runs a platform until the signal aborts. */
async function runPlatform(
  platform: ChatPlatform,
  connecting: ConnectScope & { isConnected: () => void },
): Promise<void> {
  const { say, parts, signal, isConnected } = connecting;
  const { title, isOwn } = platform.descriptor;
  const connectedNow = reportWhileDisconnected(platform, connecting);
  parts.defer(async () => connectedNow());
  const untaken = new UnstoredMessages({ ...connecting, platform });
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
  return shared === null ? keepCaughtUp(missed, signal) : keepCaughtUpTogether({ ...missed, cluster: shared }, signal);
}

/** Finalises messages that were left behind. If there are several processes, one does so for all. */
function finaliseStale({ descriptor: { name } }: ChatPlatform, connecting: ConnectScope): Promise<void> {
  const { shared, signal } = connecting;
  const stale = { ...connecting, platform: name };
  if (shared === null) return finaliseAbandoned(stale, signal);
  const work = (held: AbortSignal) => finaliseForDeadProcesses({ ...stale, cluster: shared }, held);
  return holdUntil(shared, { role: `finaliser:${name}`, work }, signal);
}

/** Records the platform's workspaces. If that fails, it is done at the first event. */
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

/** Prints why a platform is not connected yet, whenever the reason changes. The returned function ends this. */
function reportWhileDisconnected(
  platform: ChatPlatform,
  { clock, say }: Pick<ConnectScope, "clock" | "say">,
): () => void {
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
  if (nextTryAt === undefined) return "Retrying.";
  const seconds = Math.ceil((nextTryAt - now) / 1_000);
  return seconds > 0 ? `Retrying in ${seconds} s.` : "Retrying now.";
}
