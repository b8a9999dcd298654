import type { Cluster } from "../../src/core/cluster.ts";
import type { ManualClock } from "./manual-clock.ts";

/** Delivery time of a message, in milliseconds. */
const WORD_MS = 5;

/** Messages between replicas in one process. */
export class MemoryWords {
  readonly #clock: ManualClock;
  readonly #listeners: { readonly by: number; readonly topic: string; readonly hear: (about: string) => void }[] = [];
  readonly told: string[] = [];
  size: number;

  constructor(clock: ManualClock, size: number) {
    this.#clock = clock;
    this.size = size;
  }

  replica(by: number): Pick<Cluster, "publish" | "subscribe" | "size"> {
    return {
      size: () => this.size,
      publish: async (topic, about) => {
        this.told.push(about);
        for (const other of this.#listeners)
          if (other.by !== by && other.topic === topic) this.#clock.after(WORD_MS, () => other.hear(about));
      },
      subscribe: (topic, hear) => {
        const listener = { by, topic, hear };
        this.#listeners.push(listener);
        return () => {
          this.#listeners.splice(this.#listeners.indexOf(listener), 1);
        };
      },
    };
  }
}
