import { jobReports } from "./adapters/render/job-view.ts";
import { storedThreads } from "./adapters/render/local/stored-threads.ts";
import { type PacedPlatform, pacePlatform, type SharedUsage } from "./adapters/render/pacing/paced-platform.ts";
import { createTaskBoard } from "./adapters/render/progress/task-board.ts";
import { createTaskViews } from "./adapters/render/progress/task-view.ts";
import { createRunViews } from "./adapters/render/run-view.ts";
import { withStatus } from "./adapters/render/status-view.ts";
import { type WatchRun, withWatchers } from "./adapters/render/watched-runs.ts";
import { withoutSecrets } from "./adapters/render/without-secrets.ts";
import { createTerminalPlatform, type TerminalPlatform } from "./adapters/terminal/adapter.ts";
import { TERMINAL } from "./adapters/terminal/descriptor.ts";
import { answersFor, createWebPlatform, isShared, type WebPlatform, webLink } from "./adapters/web/adapter.ts";
import { WEB } from "./adapters/web/descriptor.ts";
import type { Config } from "./config.ts";
import type { ChatCommand } from "./core/command-line/command.ts";
import type { JobEvent } from "./core/events/job-event.ts";
import type { OpenJobReport } from "./core/jobs/job-report.ts";
import type { KeyedMutex } from "./core/keyed-mutex.ts";
import { createServedCheck } from "./core/permissions/access.ts";
import { withServedAuthors } from "./core/permissions/served-authors.ts";
import type { ChatPlatform } from "./core/platform/chat-platform.ts";
import type { PlatformName } from "./core/platform/thread.ts";
import type { OpenRunView } from "./core/progress/run-view.ts";
import type { Log } from "./core/protocol/log.ts";
import type { Runtime } from "./core/protocol/runtime.ts";
import type { RunnerOptions } from "./core/run/runner-options.ts";
import type { Store } from "./core/store/store.ts";
import { type SecretMasking, secretMasking } from "./core/text/secret-masking.ts";
import { keptWebToken, requireOwn, webToken } from "./home.ts";
import type { EndedRuns } from "./operations/ended-runs.ts";
import { createMetrics } from "./operations/metrics.ts";
import { readiness } from "./operations/readiness.ts";
import type { ProgramEngine } from "./ownership/open-engine.ts";
import type { Ownership } from "./ownership/own-database.ts";

/** What the adapters are built from. */
export interface PlatformAssembly {
  readonly config: Config;
  readonly runtime: Runtime;
  readonly log: Log;
  /** The program's own tokens and keys. Those that are set later are added. */
  readonly secrets: string[];
  readonly parts: AsyncDisposableStack;
  /** The commands of the core and of features. */
  readonly commands: readonly ChatCommand[];
  readonly platforms: Map<PlatformName, PacedPlatform>;
  /** Serialises writes of the platforms that keep their threads in the store. */
  readonly writes: KeyedMutex;
  readonly ended: EndedRuns;
  readonly status: {
    state: "starting" | "standing by" | "running" | "draining";
    engine: ProgramEngine | null;
    store: Store | null;
    /** Null until the process knows how it may use the database. */
    ownership: Pick<Ownership, "cluster" | "otherSettings"> | null;
    /** The error that keeps the database from accepting writes; null if there is none. */
    storeFailure: unknown;
  };
}

/** Opens the web platform. It listens before the store is open, so that a standby process answers the probes, too. */
export async function openWeb(assembly: PlatformAssembly, opening: Promise<Store>): Promise<WebPlatform> {
  const { config, runtime, log, platforms, status, commands, ended } = assembly;
  const load = () => status.engine?.load() ?? { running: 0, waiting: 0 };
  const web = createWebPlatform({
    writes: assembly.writes,
    ...config.web,
    token: await webToken(config.home),
    store: storedThreads(opening, threadsOf(config), await openSecrets(assembly)),
    commands,
    isReplica: isReplica(config),
    clock: runtime.clock,
    ids: runtime.ids,
    log: log.child({ platform: "web" }),
    probes: {
      health: () => ({ status: 200, body: { state: status.state, runs: load() } }),
      ready: () => readiness(status, platforms, sharingOf(status)),
      metrics: createMetrics({
        load,
        ended,
        connected: () => new Map([...platforms].map(([name, platform]) => [name, platform.health().connected])),
        members: async () => status.ownership?.cluster.members() ?? [],
        otherSettings: () => status.ownership?.otherSettings.names().length ?? 0,
        feedback: async () => status.store?.feedback.count({ since: 0 }) ?? {},
      }),
    },
  });
  await web.listen();
  assembly.parts.defer(() => web.stop());
  return web;
}

function sharingOf({ ownership }: PlatformAssembly["status"]): Parameters<typeof readiness>[2] {
  if (ownership?.cluster.isShared !== true) return null;
  return { size: ownership.cluster.size(), differing: ownership.otherSettings.names() };
}

/**
 * The store's platform for the page's threads. It differs between loopback and other addresses, so that people who sign
 * in later do not see what one person wrote on loopback.
 */
function threadsOf(config: Config): { readonly platform: PlatformName; readonly isShared: boolean } {
  return { platform: isShared(config.web) ? `${WEB.name}team` : WEB.name, isShared: isReplica(config) };
}

/** Whether other processes write to the same database. */
function isReplica({ engine }: Config): boolean {
  return engine === "dbos";
}

/** The program's own tokens and keys, which are masked in everything that comes in or goes out. */
export async function openSecrets({
  config,
  secrets,
}: Pick<PlatformAssembly, "config" | "secrets">): Promise<SecretMasking> {
  const token = await webToken(config.home);
  if (!secrets.includes(token)) secrets.push(token);
  return secretMasking(secrets);
}

/**
 * A further link that opens the page of the program running on this home; null if the settings do not give its port.
 */
export async function anotherWebLink({ web, home }: Config, now: number): Promise<string | null> {
  await requireOwn(home, "DECKHAND_HOME");
  return web.port === 0 ? null : webLink({ ...web, token: await webToken(home) }, now, web.port);
}

/** Whether the program of this home answers at the page's port. */
export async function isRunning({ web, home }: Config): Promise<boolean> {
  const token = await keptWebToken(home);
  return token !== null && answersFor(token, web);
}

/** Creates the terminal platform. Terminals can attach once it is started. */
function openTerminal(
  { config, runtime, log, writes, commands }: PlatformAssembly,
  { store, secrets }: Pick<PlatformScope, "store" | "secrets">,
): TerminalPlatform {
  return createTerminalPlatform({
    ...runtime,
    home: config.home,
    isReplica: isReplica(config),
    store: storedThreads(Promise.resolve(store), { platform: TERMINAL.name, isShared: isReplica(config) }, secrets),
    writes,
    commands,
    log: log.child({ platform: TERMINAL.name }),
  });
}

export interface PlatformScope {
  /** Null if only terminals are served. */
  readonly web: WebPlatform | null;
  readonly store: Store;
  readonly secrets: SecretMasking & { readonly files: SecretMasking };
  /** Use of the platforms' rate limits by other processes, earlier or current ones. */
  readonly spent: Required<SharedUsage>;
}

/**
 * Opens all platforms for the core. Messages are stripped of the program's secrets, and authors in threads are marked
 * as served or not.
 */
export async function openPlatforms(
  assembly: PlatformAssembly & Pick<Ownership, "shared" | "fence">,
  opening: PlatformScope,
): Promise<TerminalPlatform> {
  const { config, runtime, platforms, fence } = assembly;
  const { web, secrets, spent } = opening;
  const terminal = openTerminal(assembly, opening);
  const remote = web === null ? [] : await remotePlatforms(assembly);
  for (const platform of web === null ? [terminal] : [web, ...remote, terminal]) {
    const guarded = withServedAuthors(withoutSecrets(fence(platform), secrets, secrets.files), config.access);
    // The page and the terminals belong to one process each.
    const shared = remote.includes(platform) ? spent.shared : null;
    platforms.set(platform.descriptor.name, pacePlatform(guarded, runtime.clock, { ...spent, shared }));
  }
  return terminal;
}

/** The platforms that have a token. The SDKs of others are not even loaded. */
async function remotePlatforms({
  config,
  runtime,
  log,
  commands,
  shared,
}: PlatformAssembly & Pick<Ownership, "shared">): Promise<ChatPlatform[]> {
  const { clock } = runtime;
  const cluster = shared ?? undefined;
  const platforms: ChatPlatform[] = [];
  if (config.slack !== null) {
    const { createSlackPlatform } = await import("./adapters/slack/adapter.ts");
    platforms.push(
      createSlackPlatform({
        ...config.slack,
        proxied: config.proxy !== null,
        cluster,
        reactions: config.reactions.slack,
        serves: createServedCheck(config.access),
        clock,
        log: log.child({ platform: "slack" }),
      }),
    );
  }
  if (config.discord !== null) {
    if (config.proxy !== null) (await import("./adapters/discord/gateway/global-agents.ts")).useGlobalAgents();
    const { createDiscordPlatform } = await import("./adapters/discord/adapter.ts");
    platforms.push(
      createDiscordPlatform({
        ...config.discord,
        cluster,
        commands,
        reactions: config.reactions.discord,
        serves: createServedCheck(config.access),
        rates: shared?.rates ?? null,
        clock,
        log: log.child({ platform: "discord" }),
      }),
    );
  }
  return platforms;
}

export interface ViewsOptions {
  readonly runtime: Runtime;
  readonly log: Log;
  readonly platform: (name: PlatformName) => PacedPlatform;
  readonly openJobRun: (openReport: OpenJobReport, event: JobEvent) => OpenRunView;
  /** Observers of runs, once they are open. */
  readonly watchers: () => readonly WatchRun[];
}

/** Creates the views of runs, according to what began them, and lets features observe them. */
export function createViews({ runtime, log, platform, openJobRun, watchers }: ViewsOptions): RunnerOptions["openView"] {
  const board = createTaskBoard();
  const { clock } = runtime;
  const viewOf: RunnerOptions["openView"] = (name, body) => {
    if (body.kind === "child") return createTaskViews({ board, clock }, body);
    const deps = { platform: platform(name), clock, log };
    if (body.kind === "job") return openJobRun(jobReports(deps.platform), body);
    return withStatus(createRunViews({ ...deps, board }), deps);
  };
  return (name, body) => withWatchers(viewOf(name, body), watchers());
}
