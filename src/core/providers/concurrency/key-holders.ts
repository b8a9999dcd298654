import { z } from "zod";
import type { Endpoint } from "../wire.ts";

const ms = z.number().min(0);

/** Messages between processes that use the same key. Times are relative, in milliseconds, since clocks differ. */
export const keyMessageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("refused"),
    /** How long nobody may begin a call. */
    waitMs: ms,
    /** The new limit on concurrent calls of all processes together. */
    limit: z.number().min(1),
    /** When the refused call is repeated, if no other of its process ran beside it; null otherwise. */
    againMs: ms.nullable(),
  }),
  /** The provider answers a call of the sender, so a process whose call was refused alone has met others' calls. */
  z.object({ type: z.literal("answered") }),
]);
export type KeyMessage = z.infer<typeof keyMessageSchema>;

/** The processes that use the same key, including this one. */
export interface KeyHolders {
  /** Number of processes, at least 1. */
  size(): number;
  /** Sends a message, which may be lost. */
  publish(message: KeyMessage): void;
  subscribe(listener: (message: KeyMessage) => void): void;
}

/** Returns the processes that use an endpoint's key. */
export type HoldersOf = (endpoint: Pick<Endpoint, "id" | "baseUrl" | "apiKey">) => KeyHolders;

/** For a process that shares its keys with no other. */
export const soleKeyHolder: HoldersOf = () => ({ size: () => 1, publish: () => undefined, subscribe: () => undefined });
