import { z } from "zod";
import { field } from "../../config/fields.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { Feature, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";

const DAY_MS = 86_400_000;

const retentionSchema = z.strictObject({
  days: field(
    z.int().min(1).max(36_500),
    "Days without anything happening after which a session is deleted, and what nobody has pinned or used is forgotten.",
    90,
  ),
});

const file = {
  retention: field(
    retentionSchema.exactOptional(),
    "What is old is deleted, once a day (docs/retention.md). Everything is kept when left out.",
    { days: 90 },
  ),
};

/**
 * What is kept, and for how long: sessions and what is old are deleted. A session is marked (delete-sessions.ts) and then
 * goes in steps, by the order of tables.ts, with which a later start goes on (finish-deletions.ts).
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
      whenOff: "There is nothing to say about that here.",
    },
  ],
  configure: (given) => {
    const days = z.object(file).parse(given.file).retention?.days ?? null;
    return {
      problems: [],
      facts: days === null ? {} : { retentionDays: days },
      check: () => Promise.resolve([{ ok: true, text: inForce(days) }]),
      open: (host) => openRetention(host, days),
    };
  },
};

/** What doctor says. */
function inForce(days: number | null): string {
  if (days === null) return "retention: everything is kept until somebody deletes it";
  return `retention: what nothing has happened in for ${days} ${days === 1 ? "day" : "days"} is deleted, once a day`;
}

/** How often is looked, where others may have died in the midst of one, for deletions that so long ago began. Milliseconds. */
const LEFT_MS = 60_000;

/** How long until the program is ready, which asks the database for what matters more. Milliseconds. */
const READY_MS = 500;

async function openRetention(host: FeatureHost, days: number | null): Promise<OpenFeature> {
  const [{ retentionRoutes }, { dataCommand }, { finishDeletions }] = await Promise.all([
    import("./routes.ts"),
    import("./person/command.ts"),
    import("./finish-deletions.ts"),
  ]);
  const stopping = new AbortController();
  const finishing = new KeyedMutex();
  // One at a time: what is begun by a command and what was left by a process before are of one kind.
  const finish = (until: number) => finishing.run("all", () => finishDeletions(host, stopping.signal, until));
  const goOn = (): void => {
    finish(Infinity).catch((error: unknown) => host.log.error({ err: toAppError(error) }, "deletion_not_finished"));
  };
  let endWork = (): Promise<void> => Promise.resolve();
  return {
    commands: { data: dataCommand({ world: host, audit: host.audit, goOn }) },
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
  /** Goes on with what was marked up to a time. */
  readonly finish: (until: number) => Promise<void>;
}

/** What a process has begun to delete and not ended is finished; then what is old goes, each day. */
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
