import { EmbeddedEngine, type EmbeddedEngineOptions } from "../../../src/core/embedded-engine/embedded-engine.ts";
import type { SessionEngine } from "../../../src/core/engine/engine.ts";
import type { MessageFinaliser } from "../../../src/core/people/message-finaliser.ts";
import type { ChatPlatform } from "../../../src/core/protocol/platform.ts";
import type { SharedRates } from "../../../src/core/shared-rates.ts";
import type { SimProcess, World } from "./world.ts";

export interface SimEngine extends SessionEngine {
  load(): { readonly running: number; readonly waiting: number };
}

/** A process's place at the database: alone, or beside others. */
export interface SimSeat {
  openEngine(options: EmbeddedEngineOptions): SimEngine;
  /** How many processes there are. */
  size(): number;
  /** The platforms' rates, where others spend of them; null: this process alone does. */
  readonly rates: SharedRates | null;
  /** The platform as this process may use it. */
  fence(platform: ChatPlatform): ChatPlatform;
  /** Shows what processes that are no more have left, until this one dies. */
  finaliseLeft(finaliser: Pick<MessageFinaliser, "finaliseStale">): Promise<void>;
}

/** Where the processes of one conversation run. */
export interface SimHouse {
  /** How many serve at once; each that dies is started again. */
  readonly processes: number;
  join(process: SimProcess): Promise<SimSeat>;
  /** To be told of each that dies. */
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

/** Opens where the processes of a world run. */
export type OpenHouse = (world: World) => SimHouse;
