import { z } from "zod";
import { guestAnswerSchema } from "../../network/guest-answer.ts";
import { bucketSchema } from "../../quotas/bucket.ts";
import { programStartSchema } from "../wasi/wasi.ts";
import { fileChangeSchema } from "../workspace/kept-content.ts";

/** Messages between the bot and its sandbox child. */

/** The part of a capability that the child enforces; the bot itself handles the network. */
const grantSchema = z.object({
  root: z.string(),
  writable: z.boolean(),
  instructionFile: z.string().exactOptional(),
  guardedFiles: z.array(z.string()).readonly().exactOptional(),
  snapshots: z.string().exactOptional(),
  secretFile: z.string().exactOptional(),
  knownContents: z.array(z.string()).readonly().exactOptional(),
  growth: z.array(bucketSchema).readonly().exactOptional(),
  /** If set, each change waits until exclusive access to the files is certain; `certain` messages say until when. */
  isFenced: z.boolean().exactOptional(),
  clock: z.boolean(),
  timeoutMs: z.number(),
  memoryMb: z.number(),
  outputBytes: z.number(),
});

/** Text is for a guest's `tool` or `process`; a program start is for a component's `run`. */
const inputSchema = z.union([z.string(), programStartSchema]);
export type GuestInput = z.infer<typeof inputSchema>;

export const toChildSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("run"), id: z.number(), guest: z.string(), input: inputSchema, capability: grantSchema }),
  z.object({ type: z.literal("cancel"), id: z.number() }),
  /** Until when the bot certainly has its files to itself, in milliseconds of the monotonic clock. */
  z.object({ type: z.literal("certain"), untilMs: z.number() }),
  /** Answers the call's `fetch`. */
  z.object({ type: z.literal("fetched"), id: z.number(), answer: guestAnswerSchema }),
]);
export type ToChild = z.infer<typeof toChildSchema>;
export type RunMessage = Extract<ToChild, { type: "run" }>;

export const outcomeSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ok"), output: z.string() }),
  z.object({ type: z.literal("limit"), limit: z.enum(["time", "memory", "output", "stack"]) }),
  z.object({ type: z.literal("failed"), message: z.string() }),
  z.object({ type: z.literal("cancelled") }),
]);
/** How a call ended. `failed` is a defect of a guest or of the host. */
export type Outcome = z.infer<typeof outcomeSchema>;

/** Files that a running call has changed, sent at once because the call may be ended at any moment. */
export const changedSchema = z.object({ type: z.literal("changed"), files: z.array(fileChangeSchema) });

/** A guest asks to fetch and waits for the answer; it has one request at a time. */
const fetchSchema = z.object({ type: z.literal("fetch"), request: z.string() });

const printedSchema = z.object({ type: z.literal("printed"), text: z.string() });

/** What a call has taken of its room: bytes in the root, bytes kept, and why more was refused. */
const grownSchema = z.object({
  type: z.literal("grown"),
  bytes: z.int(),
  kept: z.int(),
  full: z.string().nullable(),
});
export type Grown = z.infer<typeof grownSchema>;

/**
 * Messages about a call: any number of changes and fetches, what it had printed if it was interrupted, what it has
 * taken of its room, then how it ended.
 */
const newsSchema = z.union([changedSchema, fetchSchema, printedSchema, grownSchema, outcomeSchema]);

/** A worker sleeps on its bell until it rings; by then the answer is among its messages. */
export const fromWorkerSchema = z.union([
  changedSchema,
  fetchSchema.extend({ bell: z.instanceof(Int32Array<SharedArrayBuffer>) }),
  outcomeSchema,
]);
export type FromWorker = z.infer<typeof fromWorkerSchema>;

export const fromChildSchema = z.object({ id: z.number(), news: newsSchema });
export type FromChild = z.infer<typeof fromChildSchema>;
