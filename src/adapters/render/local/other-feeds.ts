import { z } from "zod";
import { createChangeNotifier, followChanges } from "../../../core/change-notices.ts";
import type { Cluster } from "../../../core/cluster.ts";
import type { Log } from "../../../core/protocol/log.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { fromJson } from "../../../core/text/from-json.ts";
import type { ThreadFrame } from "./wire.ts";

/** Interval at which unannounced changes are looked for while a page is open. In milliseconds. */
const LOOK_MS = 1_000;

/** Maximum length of a notification, in characters of up to four bytes each. */
const MOST_CHARS = 900;

/** Frames passed on in notifications, because they are not stored and cannot be read there. */
const toldSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("changed") }),
  z.object({ type: z.literal("erased"), threadId: z.string() }),
  z.object({ type: z.literal("status"), threadId: z.string(), words: z.string() }),
  z.object({
    type: z.literal("thread"),
    threadId: z.string(),
    before: z.null(),
    messages: z.null(),
    more: z.literal(false),
  }),
]);
const wordSchema = z.object({ name: z.string(), frame: toldSchema.optional() });

/** The feeds of the same threads in other processes. */
export interface OtherFeeds {
  /** Announces that something was written. */
  tell(): void;
  tellFrame(frame: ThreadFrame): void;
  /** Reads what other processes have written, within a local write. What cannot be read now is read the next time. */
  look(): Promise<void>;
  end(): void;
}

export interface Sharing {
  readonly cluster: Cluster;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "warn">;
}

interface Own {
  /** Passes on a frame that is not stored. */
  readonly push: (frame: ThreadFrame) => void;
  /** Reads new changes: `look` runs within a write, `follow` takes its turn as one. */
  readonly look: () => Promise<void>;
  readonly follow: () => Promise<void>;
}

export function otherFeeds(name: string, { cluster, clock, log }: Sharing, own: Own): OtherFeeds {
  const { push, look, follow } = own;
  const changes = { cluster, topic: "threads", clock, log } as const;
  const tell = createChangeNotifier(changes, JSON.stringify({ name }));
  const ended = new AbortController();
  followChanges({ ...changes, everyMs: LOOK_MS, signal: ended.signal }, follow);
  const unsubscribe = cluster.subscribe("threads", (about) => {
    const word = wordSchema.safeParse(fromJson(about)).data; // null if another release wrote it
    if (word?.name === name && word.frame !== undefined) push(word.frame);
  });
  return {
    tell,
    tellFrame(frame) {
      const told = toldSchema.safeParse(frame);
      if (cluster.size() < 2 || !told.success) return;
      const word = JSON.stringify({ name, frame: told.data });
      if (word.length > MOST_CHARS) return;
      cluster.publish("threads", word).catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
    },
    look: () => look().catch((error: unknown) => log.warn({ err: error }, "others_not_followed")),
    end: () => {
      ended.abort();
      unsubscribe();
    },
  };
}
