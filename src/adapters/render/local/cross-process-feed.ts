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
const MAX_CHARS = 900;

/** Frames passed on in notifications, because they are not stored and cannot be read there. */
const forwardedFrameSchema = z.discriminatedUnion("type", [
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
const notificationSchema = z.object({ name: z.string(), frame: forwardedFrameSchema.optional() });

/** The feeds of the same threads in other processes. */
export interface CrossProcessFeed {
  /** Announces that something was written. */
  notify(): void;
  forward(frame: ThreadFrame): void;
  /** Reads what other processes have written, within a local write. What cannot be read now is read the next time. */
  catchUp(): Promise<void>;
  end(): void;
}

export interface CrossProcessScope {
  readonly cluster: Cluster;
  readonly clock: Pick<Clock, "after">;
  readonly log: Pick<Log, "warn">;
}

interface LocalFeed {
  /** Passes on a frame that is not stored. */
  readonly push: (frame: ThreadFrame) => void;
  /** Reads new changes: `look` runs within a write, `follow` takes its turn as one. */
  readonly look: () => Promise<void>;
  readonly follow: () => Promise<void>;
}

export function createCrossProcessFeed(
  name: string,
  { cluster, clock, log }: CrossProcessScope,
  own: LocalFeed,
): CrossProcessFeed {
  const { push, look, follow } = own;
  const changes = { cluster, topic: "threads", clock, log } as const;
  const notify = createChangeNotifier(changes, JSON.stringify({ name }));
  const ended = new AbortController();
  followChanges({ ...changes, everyMs: LOOK_MS, signal: ended.signal }, follow);
  const unsubscribe = cluster.subscribe("threads", (about) => {
    const notification = notificationSchema.safeParse(fromJson(about)).data; // null if another release wrote it
    if (notification?.name === name && notification.frame !== undefined) push(notification.frame);
  });
  return {
    notify,
    forward(frame) {
      const parsed = forwardedFrameSchema.safeParse(frame);
      if (cluster.size() < 2 || !parsed.success) return;
      const notification = JSON.stringify({ name, frame: parsed.data });
      if (notification.length > MAX_CHARS) return;
      cluster.publish("threads", notification).catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
    },
    catchUp: () => look().catch((error: unknown) => log.warn({ err: error }, "others_not_followed")),
    end: () => {
      ended.abort();
      unsubscribe();
    },
  };
}
