import { EmbeddedEngine, type EmbeddedEngineOptions } from "../../../src/core/embedded-engine/embedded-engine.ts";
import type { SessionEngine } from "../../../src/core/engine/engine.ts";
import type { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import type { ChatPlatform } from "../../../src/core/platform/chat-platform.ts";
import type { SharedRates } from "../../../src/core/shared-rates.ts";
import type { SimProcess, World } from "./world.ts";

export interface SimEngine extends SessionEngine {
  load(): { readonly running: number; readonly waiting: number };
}

/** A process's connection to the database, alone or beside others. */
export interface SimSeat {
  openEngine(options: EmbeddedEngineOptions): SimEngine;
  /** Number of processes. */
  size(): number;
  /** Rates of the platforms that several processes share; null if there is only this process. */
  readonly rates: SharedRates | null;
  /** The platform, limited to what this process may do. */
  fence(platform: ChatPlatform): ChatPlatform;
  /** Finalises what ended processes have left, until this one dies. */
  finaliseLeft(finaliser: Pick<MessageFinaliser, "finaliseStale">): Promise<void>;
}

/** The environment of one conversation's processes. */
export interface SimHouse {
  /** Number of processes that serve at once; each that dies is restarted. */
  readonly processes: number;
  join(process: SimProcess): Promise<SimSeat>;
  /** Must be called for each process that dies. */
  died(process: SimProcess): void;
  /** Ends all processes. */
  close(): Promise<void>;
}

/** One process at a time, with the embedded engine. */
export function embeddedHouse(): SimHouse {
  const seat: SimSeat = {
    openEngine: (options) => new EmbeddedEngine(options),
    size: () => 1,
    rates: null,
    fence: (platform) => platform,
    finaliseLeft: (finaliser) => finaliser.finaliseStale("slack"),
  };
  return { processes: 1, join: () => Promise.resolve(seat), died: () => {}, close: () => Promise.resolve() };
}

/** Opens the environment for a world's processes. */
export type OpenHouse = (world: World) => SimHouse;
