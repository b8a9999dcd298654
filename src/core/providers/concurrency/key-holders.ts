import type { Endpoint } from "../wire.ts";

/** What processes that call with one key tell each other; times are from now on, since clocks differ. Milliseconds. */
export type KeyWord =
  | {
      readonly type: "refused";
      /** How long nobody is to begin a call. */
      readonly waitMs: number;
      /** How many calls all processes together are to make at once from then on. */
      readonly limit: number;
      /** When the refused call is made again, where no other of its process went on beside it; null where one did. */
      readonly againMs: number | null;
    }
  /** The provider answers a call of the teller's: whoever was refused alone has met the others' calls. */
  | { readonly type: "answered" };

/** The processes that call with one key, this one among them. */
export interface KeyHolders {
  /** How many there are; at least 1. */
  size(): number;
  /** A word may be lost. */
  tell(word: KeyWord): void;
  hear(listener: (word: KeyWord) => void): void;
}

/** Who calls with the key of an endpoint. */
export type HoldersOf = (endpoint: Pick<Endpoint, "id" | "baseUrl" | "apiKey">) => KeyHolders;

/** A process that has its keys to itself. */
export const noOthers: HoldersOf = () => ({ size: () => 1, tell: () => undefined, hear: () => undefined });
