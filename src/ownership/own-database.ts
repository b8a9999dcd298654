import { hostname } from "node:os";
import type { Config } from "../config.ts";
import type { Cluster } from "../core/cluster.ts";
import type { ChatPlatform } from "../core/platform/chat-platform.ts";
import type { PlatformName } from "../core/platform/thread.ts";
import { ConfigError } from "../core/protocol/errors.ts";
import type { Log } from "../core/protocol/log.ts";
import type { Runtime } from "../core/protocol/runtime.ts";
import type { OpenCluster } from "../core/store/cluster/cluster.ts";
import { runtimeOn } from "../runtime.ts";
import { VERSION } from "../version.ts";
import { commonSettings, compareSettings, otherVersions } from "./common-settings.ts";
import { holdLease, type LeaseHolding } from "./hold-lease.ts";
import { onlyProcess } from "./only-process.ts";
import type { Reachability } from "./reachability.ts";
import { type OtherSettings, watchSettings } from "./watch-settings.ts";

interface Owning extends Omit<LeaseHolding, "clock"> {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly log: Log;
  /** The served platforms, filled once they are open. */
  readonly platforms: ReadonlyMap<PlatformName, ChatPlatform>;
  /** `terminals`: for one person's conversation, which needs the database to itself, or waits for it. */
  readonly serves?: "everything" | "terminals";
  /** Called if this process is asked to hand over its work and end. */
  readonly drain: () => void;
}

/** How this process may use the database. */
export interface Ownership {
  readonly cluster: Cluster;
  /** The cluster that the engine for several processes runs on; null if this process is the only one. */
  readonly shared: OpenCluster | null;
  /** Which platforms this process reaches, compared with others; null if it is the only one. */
  readonly reach: Reachability | null;
  /** Wraps a platform as this process may use it. */
  readonly fence: (platform: ChatPlatform) => ChatPlatform;
  /** How the settings differ from those of other processes. */
  readonly otherSettings: OtherSettings;
  /** The runtime, with the clock shared by all processes. */
  readonly runtime: Runtime;
}

/** Waits until this process may run the database's sessions: all of them, or its share. */
export async function ownDatabase(owning: Owning): Promise<Ownership> {
  const { config, runtime, log, say, serves = "everything" } = owning;
  const engine = serves === "everything" ? config.engine : "embedded";
  if (config.database.kind === "postgresql") {
    const { requireServer } = await import("../core/store/database/postgresql-server.ts");
    const { unmigratedSqlite } = await import("../moving/unmigrated-sqlite.ts");
    const lines = [...(await requireServer({ ...config.database, engine })), ...(await unmigratedSqlite(config))];
    for (const line of lines) say(`⚠ ${line}`);
  }
  if (engine === "dbos") return join(owning);
  const { clock } = runtime;
  await holdLease({ ...owning, clock });
  const otherSettings: OtherSettings = { lines: () => [], names: () => [] };
  const cluster = onlyProcess({ clock, log });
  return { cluster, shared: null, reach: null, fence: (platform) => platform, otherSettings, runtime };
}

async function join(owning: Owning): Promise<Ownership> {
  const { config, runtime, log, platforms, say, standBy, fail, drain, parts, signal } = owning;
  const { openCluster } = await import("../core/store/cluster/cluster.ts");
  const { fencedPlatform } = await import("./fenced-platform.ts");
  const { Reachability } = await import("./reachability.ts");
  const { answerVolumeChecks, verifySharedVolumes, sharedDirectories, unverifiedWarning } = await import(
    "./shared-volumes.ts"
  );
  const { eldestOther } = await import("../core/store/cluster/members.ts");
  const { clock, ids } = runtime;
  const own = commonSettings(config);
  const cluster = await openCluster({
    url: config.database.directUrl,
    id: ids.next("replica"),
    clock,
    log,
    facts: {
      ...own,
      version: VERSION,
      host: hostname(),
      pid: process.pid,
      startedAt: clock.now(),
      showsDirectories: true,
    },
    standBy: () => {
      standBy();
      say("⏸ Another process is using this database exclusively. Standing by; this process joins when it ends.");
    },
    lost: fail,
    drain,
    signal,
  });
  parts.defer(() => cluster.close());
  parts.defer(() => cluster.leave());
  const volumes = { cluster, directories: sharedDirectories(config) };
  answerVolumeChecks(volumes);
  const others = (await cluster.members()).filter(({ id }) => id !== cluster.id);
  const { problems } = compareSettings(own, others);
  if (problems.length > 0) throw new ConfigError(problems);
  for (const line of otherVersions(VERSION, others)) say(`⚠ ${line}`);
  const watching = new AbortController();
  parts.defer(() => watching.abort());
  const otherSettings = watchSettings({
    cluster,
    own,
    others,
    clock: cluster.clock,
    log,
    say,
    signal: watching.signal,
  });
  const eldest = () => eldestOther(cluster.id, cluster.connection);
  const verified = await verifySharedVolumes({ ...volumes, clock, eldest });
  if (verified?.isVerified === false) say(`⚠ ${unverifiedWarning(verified)}`);
  const reach = new Reachability({ platforms, cluster, clock: cluster.clock, log });
  const fence = (platform: ChatPlatform) => fencedPlatform(platform, { cluster, reach });
  return { cluster, shared: cluster, reach, fence, otherSettings, runtime: runtimeOn(cluster.clock, runtime) };
}
