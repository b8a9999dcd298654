import { z } from "zod";
import { field } from "../../config/fields.ts";
import { KeyedMutex } from "../../core/keyed-mutex.ts";
import { toAppError } from "../../core/protocol/errors.ts";
import type { Feature, FeatureHost, OpenFeature } from "../../feature.ts";

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

/** What is kept, and for how long: sessions and what is old are deleted. */
export const retentionFeature: Feature = {
  name: "retention",
  settings: { file },
  commands: [
    {
      name: "data",
      description: "what I keep of you, and how to delete it",
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
  const finish = () => finishing.run("all", () => finishDeletions(host, stopping.signal));
  const goOn = (): void => {
    finish().catch((error: unknown) => host.log.error({ err: toAppError(error) }, "deletion_not_finished"));
  };
  let working: Promise<void> = Promise.resolve();
  return {
    commands: { data: dataCommand({ world: host, audit: host.audit, goOn }) },
    routes: retentionRoutes(host, stopping.signal),
    start(signal) {
      working = work({ host, days, finish }, AbortSignal.any([signal, stopping.signal]));
      return Promise.resolve();
    },
    async stop() {
      stopping.abort();
      await working;
      await finishing.run("all", () => Promise.resolve());
    },
  };
}

interface RetentionScope {
  readonly host: FeatureHost;
  readonly days: number | null;
  /** Goes on with what is marked. */
  readonly finish: () => Promise<void>;
}

/** What a process before this one has begun to delete is finished; then what is old goes, each day. */
async function work({ host, days, finish }: RetentionScope, signal: AbortSignal): Promise<void> {
  const { clock } = host.runtime;
  for (let waitMs = READY_MS; !signal.aborted; waitMs = DAY_MS) {
    try {
      await clock.sleep(waitMs, signal);
      await finish();
      if (days !== null) await deleteWhatIsOld(host, days, signal);
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
