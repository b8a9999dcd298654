import { z } from "zod";
import { field } from "../../config/fields.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import { counted } from "../../core/text/counted.ts";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

const DAY_MS = 86_400_000;

const retentionSchema = z.strictObject({
  days: field(
    z.int().min(1).max(36_500),
    "Days without activity after which a session is deleted, and a memory that nobody has pinned or used is forgotten.",
    90,
  ),
});

const file = {
  retention: field(
    retentionSchema.exactOptional(),
    "Deletes old data once a day (docs/retention.md). Without it everything is kept.",
    { days: 90 },
  ),
};

/**
 * Deletes sessions and old data. A session is marked (delete-sessions.ts) and then deleted step by step, in the order
 * of tables.ts; after a crash, the next start continues (finish-deletions.ts).
 */
export const retentionFeature: Feature = {
  name: "retention",
  settings: { file },
  commands: [
    {
      name: "data",
      description: "what I store about you, and how to delete it",
      usage: "[delete me]",
      permission: "everyone",
      hasButtons: true,
      whenOff: "There is nothing to show about that here.",
    },
  ],
  configure: (given) => {
    const days = z.object(file).parse(given.file).retention?.days ?? null;
    return {
      problems: [],
      check: () => Promise.resolve([{ ok: true, text: inForce(days) }]),
      open: (host) => openRetention(host, days),
    };
  },
};

/** The line that doctor shows. */
function inForce(days: number | null): string {
  if (days === null) return "retention: everything is kept until somebody deletes it";
  return `retention: data without activity for ${counted(days, "day")} is deleted, once a day`;
}

/**
 * If processes share the database: how often to look for deletions that a dead process left, and how old these must be.
 * In milliseconds.
 */
const LEFT_MS = 60_000;

/** Delay before the first deletion, in milliseconds, so that more important start-up queries go first. */
const READY_MS = 500;

async function openRetention(host: FeatureHost, days: number | null): Promise<OpenFeature> {
  const [{ retentionRoutes }, { dataCommand }, { finishDeletions }] = await Promise.all([
    import("./routes.ts"),
    import("./person/command.ts"),
    import("./finish-deletions.ts"),
  ]);
  const stopping = new AbortController();
  const finishing = new KeyedMutex();
  // One at a time, since deletions begun by a command and those left by an earlier process look the same.
  const finish = (until: number) => finishing.run("all", () => finishDeletions(host, stopping.signal, until));
  const resume = (): void => {
    finish(Infinity).catch((error: unknown) => host.log.error({ err: toAppError(error) }, "deletion_not_finished"));
  };
  let endWork = (): Promise<void> => Promise.resolve();
  return {
    commands: { data: dataCommand({ world: host, audit: host.audit, resume }) },
    routes: retentionRoutes(host, stopping.signal),
    start(signal) {
      endWork = host.cluster.hold("retention:deletions", (held) =>
        work({ host, days, finish }, AbortSignal.any([held, signal, stopping.signal])),
      );
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await endWork();
      await finishing.idle();
    },
  };
}

interface RetentionScope {
  readonly host: FeatureHost;
  readonly days: number | null;
  /** Continues with what was marked up to a time. */
  readonly finish: (until: number) => Promise<void>;
}

/** Completes deletions that a process left, then deletes old data once a day. */
async function work({ host, days, finish }: RetentionScope, signal: AbortSignal): Promise<void> {
  const { clock } = host.runtime;
  const { isShared } = host.cluster;
  let oldIsDueAt = 0;
  for (let waitMs = READY_MS; !signal.aborted; waitMs = isShared ? LEFT_MS : DAY_MS) {
    try {
      await clock.sleep(waitMs, signal);
      await finish(isShared ? clock.now() - LEFT_MS : Infinity);
      if (days === null || clock.now() < oldIsDueAt) continue;
      oldIsDueAt = clock.now() + (isShared ? DAY_MS : 0);
      await deleteWhatIsOld(host, days, signal);
    } catch (error) {
      if (!signal.aborted) host.log.error({ err: toAppError(error) }, "deletion_not_finished");
    }
  }
}

async function deleteWhatIsOld(host: FeatureHost, days: number, signal: AbortSignal): Promise<void> {
  const { clock } = host.runtime;
  const { deleteOld } = await import("./delete-old.ts");
  const began = clock.now();
  const deleted = await deleteOld(began - days * DAY_MS, host, signal);
  host.log.info({ days, ...deleted, tookMs: clock.now() - began }, "old_data_deleted");
}
