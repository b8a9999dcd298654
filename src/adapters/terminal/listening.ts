import type { Server, Socket } from "node:net";
import type { Cluster } from "../../core/cluster.ts";
import type { Log } from "../../core/protocol/log.ts";
import { type Clock, slept } from "../../core/protocol/runtime.ts";
import { closeServer, fileNumber, listenAt, socketPath } from "./socket.ts";

/** How often is looked whether the socket is still there. Milliseconds. */
const LOOK_MS = 2_000;

interface Listening {
  /** The socket is in it. */
  readonly home: string;
  readonly isReplica?: boolean;
  /** Null: this process is the only one. */
  readonly cluster: Cluster | null;
  readonly connected: (socket: Socket) => void;
  /** How it stands with terminals, in words. */
  readonly told: (words: string) => void;
  readonly clock: Pick<Clock, "sleep">;
  readonly log: Log;
}

/** Listens for terminals: at once, or when it is this process's turn among those of the machine. What it returns ends that. */
export async function openListening(listening: Listening): Promise<() => Promise<void>> {
  const { home, isReplica = false, cluster, told } = listening;
  const file = socketPath(home, isReplica);
  if (cluster?.isShared !== true) {
    const server = await listen(file, false, listening);
    return server === null ? () => Promise.resolve() : () => closeServer(server);
  }
  told("terminals attach at another process of this machine");
  return cluster.hold(`terminal:${file}`, (held) => listenWhile(held, file, listening));
}

/** Null where it cannot. */
async function listen(file: string, isOurs: boolean, { connected, told, log }: Listening): Promise<Server | null> {
  const result = await listenAt(file, connected, isOurs);
  told(result.type === "listening" ? `terminals attach at ${file}` : result.why);
  if (result.type === "listening") return result.server;
  log.warn({ reason: result.why }, "terminal_not_listening");
  return null;
}

/**
 * As the one of several processes that has the machine's socket. One that had it before and learns late that it has lost it
 * takes the file away when it ends: then there is another one.
 */
async function listenWhile(signal: AbortSignal, file: string, listening: Listening): Promise<void> {
  const server = await listen(file, true, listening);
  if (server === null) return;
  try {
    const own = await fileNumber(file);
    do await slept(listening.clock, LOOK_MS, signal);
    while (!signal.aborted && (await fileNumber(file)) === own);
  } finally {
    await closeServer(server);
  }
}
