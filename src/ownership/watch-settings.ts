import type { Cluster, ClusterMember } from "../core/cluster.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Clock } from "../core/protocol/runtime.ts";
import { type CommonSettings, compareSettings } from "./common-settings.ts";

/** Interval of comparing settings with those of the others. In milliseconds. */
const LOOK_MS = 20_000;

/** A lasting difference is reported again after this long. In milliseconds. */
const AGAIN_MS = 3_600_000;

/** How this process's settings differ from the others', as of the last check. */
export interface OtherSettings {
  /** For people, one line for each process. */
  lines(): readonly string[];
  /** Names of the settings that differ. */
  names(): readonly string[];
}

interface Watching {
  readonly cluster: Pick<Cluster, "id" | "members">;
  readonly own: CommonSettings;
  /** The processes that are already running. */
  readonly others: readonly ClusterMember[];
  readonly clock: Pick<Clock, "now" | "sleep">;
  readonly log: Pick<Log, "info" | "warn">;
  /** Prints a line on the operator's terminal. */
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

/** Compares until the signal aborts. Reports a difference at once, again while it lasts, and when it is over. */
export function watchSettings({ cluster, own, others, clock, log, say, signal }: Watching): OtherSettings {
  let found = compareSettings(own, []);
  let said = { about: "", at: 0 };
  const compare = (members: readonly ClusterMember[]): void => {
    found = compareSettings(own, members);
    const about = found.names.join(", ");
    if (about === said.about && (about === "" || clock.now() - said.at < AGAIN_MS)) return;
    said = { about, at: clock.now() };
    for (const line of found.warnings) say(`⚠ ${line}`);
    if (about !== "") return log.warn({ settings: found.names, found: found.warnings }, "settings_differ");
    say("✓ All processes have the same settings again.");
    log.info({}, "settings_agree");
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(LOOK_MS, signal);
      const members = await cluster
        .members()
        .catch((error: unknown) => log.warn({ err: error }, "settings_not_compared"));
      if (members !== undefined) compare(members.filter(({ id }) => id !== cluster.id));
    }
  };
  compare(others);
  watch().catch(() => undefined); // aborted
  return { lines: () => found.warnings, names: () => found.names };
}
