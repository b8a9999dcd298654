import type { Server, Socket } from "node:net";
import type { Cluster } from "../../core/cluster.ts";
import type { Log } from "../../core/protocol/log.ts";
import { type Clock, sleepUnlessAborted } from "../../core/protocol/runtime.ts";
import { closeServer, fileNumber, listenAt, socketPath } from "./socket.ts";

/** Interval of checking that the socket file still exists. In milliseconds. */
const LOOK_MS = 2_000;

interface Listening {
  /** Directory of the socket. */
  readonly home: string;
  readonly isReplica?: boolean;
  /** Null if this process is the only one. */
  readonly cluster: Cluster | null;
  readonly connected: (socket: Socket) => void;
  /** Called with a description of the listener's state. */
  readonly report: (words: string) => void;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
}

/** Listens for terminals, if necessary once this process holds the machine's socket. Returns a function to stop. */
export async function openListening(listening: Listening): Promise<() => Promise<void>> {
  const { home, isReplica = false, cluster, report } = listening;
  const file = socketPath(home, isReplica);
  if (cluster?.isShared !== true) {
    const server = await listen(file, false, listening);
    return server === null ? () => Promise.resolve() : () => closeServer(server);
  }
  report("terminals attach to another process on this machine");
  return cluster.hold(`terminal:${file}`, (held) => listenWhile(held, file, listening));
}

/** Null if it cannot listen. */
async function listen(file: string, isOurs: boolean, { connected, report, log }: Listening): Promise<Server | null> {
  const result = await listenAt(file, connected, isOurs);
  report(result.type === "listening" ? `terminals attach to ${file}` : result.why);
  if (result.type === "listening") return result.server;
  log.warn({ reason: result.why }, "terminal_not_listening");
  return null;
}

/**
 * Listens while this process holds the machine's socket. A previous holder that learns late that it lost the socket
 * deletes the file when it closes; the changed file ends this turn as well.
 */
async function listenWhile(signal: AbortSignal, file: string, listening: Listening): Promise<void> {
  const server = await listen(file, true, listening);
  if (server === null) return;
  try {
    const own = await fileNumber(file);
    do await sleepUnlessAborted(listening.clock, LOOK_MS, signal);
    while (!signal.aborted && (await fileNumber(file)) === own);
  } finally {
    await closeServer(server);
  }
}
