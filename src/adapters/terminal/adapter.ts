import type { Duplex } from "node:stream";
import type { Cluster } from "../../core/cluster.ts";
import type { ChatCommand } from "../../core/command-line/command.ts";
import type { Summaries } from "../../core/history/session-summary.ts";
import type { KeyedMutex } from "../../core/keyed-mutex.ts";
import type { ChatPlatform } from "../../core/platform/chat-platform.ts";
import type { Receive } from "../../core/platform/inbound.ts";
import type { Log } from "../../core/protocol/log.ts";
import type { Clock, Ids } from "../../core/protocol/runtime.ts";
import { createLocalThreads } from "../render/local/local-threads.ts";
import type { LocalThreadStore } from "../render/local/thread-store.ts";
import { TERMINAL } from "./descriptor.ts";
import { TERMINAL_PLACE } from "./inbound.ts";
import { openListening } from "./listening.ts";
import { serveTerminal } from "./serving.ts";

export interface TerminalPlatformOptions {
  /** Directory of the socket. */
  readonly home: string;
  /** Whether other processes serve terminals, too. False by default. */
  readonly isReplica?: boolean;
  readonly store: LocalThreadStore;
  /** Serialises the writes of all platforms that keep their threads in the store. */
  readonly writes: KeyedMutex;
  readonly commands: readonly ChatCommand[];
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
}

export interface TerminalPlatform extends ChatPlatform {
  /** Serves the terminal at the other end of a stream. */
  attach(stream: Duplex): void;
  /** Provides what tells terminals about current activity, before `start`. */
  provide(source: Provided): void;
}

interface Provided {
  readonly summaries: Pick<Summaries, "busyThreads">;
  /** The processes that serve terminals. */
  readonly cluster: Cluster;
}

/** Terminals on this machine as a platform: a socket in the home directory, and threads in a store. */
export function createTerminalPlatform(options: TerminalPlatformOptions): TerminalPlatform {
  const { feed, poster, posting, reading } = createLocalThreads({ ...options, place: TERMINAL_PLACE });
  const open = new Set<Duplex>();
  let receiver: Receive | null = null;
  let endListening = (): Promise<void> => Promise.resolve();
  let source: Provided | null = null;
  let detail = "not started";

  const attach = (stream: Duplex): void => {
    if (receiver === null || source === null) {
      stream.destroy();
      return;
    }
    open.add(stream);
    stream.once("close", () => open.delete(stream));
    serveTerminal(stream, { ...options, feed, poster, receive: receiver, summaries: source.summaries });
  };

  return {
    descriptor: TERMINAL,
    ...posting,
    ...reading,
    attach,
    provide: (provided) => {
      source = provided;
      feed.share({ ...options, cluster: provided.cluster });
    },
    showStatus: async ({ threadId }, words) => {
      if (threadId !== null) feed.broadcast({ type: "status", threadId, words });
    },
    async start(receive, signal) {
      signal.throwIfAborted();
      receiver = receive;
      const report = (words: string): void => {
        detail = words;
      };
      endListening = await openListening({ ...options, cluster: source?.cluster ?? null, connected: attach, report });
    },
    async stop() {
      receiver = null;
      detail = "stopped";
      feed.closeAll();
      for (const stream of open) stream.destroy();
      const end = endListening;
      endListening = () => Promise.resolve();
      await end();
    },
    health: () => ({ connected: receiver !== null, detail }),
  };
}
