import { existsSync } from "node:fs";
import path from "node:path";
import { type PageAgents, readPageAgents } from "./agents.ts";
import { agentProblems, sandboxRootOf } from "./channel-config.ts";
import { checkKey } from "./cli/doctor/check-keys.ts";
import type { StoredSettings } from "./cli/doctor/doctor.ts";
import { type Input, newKey, newPassword, typedLines } from "./cli/standard-input.ts";
import { commandErrorLines } from "./cli/startup-error.ts";
import type { StoreWorld, SubcommandWorld } from "./cli/subcommand.ts";
import type { Terminal } from "./cli/terminal.ts";
import { skippedLine } from "./config/stored/apply-stored.ts";
import { EffectiveSettings, SETTINGS_REVISION } from "./config/stored/effective-settings.ts";
import type { Config } from "./config.ts";
import { textsIn } from "./core/agents/page-definitions.ts";
import { ConfigError } from "./core/protocol/errors.ts";
import { liveProviders } from "./core/providers/registry/live-providers.ts";
import { sqlitePath } from "./core/store/database/connection/database-url.ts";
import { checkSqliteFile } from "./core/store/database/sqlite-file.ts";
import { probeDatabase } from "./core/store/probe.ts";
import { openStore, type Store } from "./core/store/store.ts";
import type { OfflineHost } from "./feature-host.ts";
import { snapshotsOf, sqliteFileOf } from "./home.ts";
import { createLogger } from "./operations/logging.ts";
import { proxyFor } from "./operations/proxy.ts";
import { notifyProcesses } from "./ownership/notify-processes.ts";
import { describePlatform } from "./platforms.ts";
import { systemRuntime } from "./runtime.ts";

/** The services of features' subcommands, which work on the database with or without a running program. */
export function subcommandWorld(
  config: Config,
  { terminal, stdin }: { readonly terminal: Terminal; readonly stdin: Input },
): SubcommandWorld {
  const onStore: SubcommandWorld["onStore"] = (work) =>
    said(terminal, () => opened(config, (host) => work(storeWorld(config, host, terminal))));
  return {
    config,
    terminal,
    answer: ({ ok, lines }) => {
      for (const line of lines) {
        if (ok) terminal.out(line);
        else terminal.error(line);
      }
      if (!ok) terminal.fail();
    },
    newPassword: (isGiven) => newPassword(stdin, isGiven),
    newKey: () => newKey(stdin),
    typedLines: (signal) => typedLines(stdin, signal),
    onStore,
    onExistingStore: (work) =>
      said(terminal, async () => {
        await requireKept(config.database);
        await onStore(work);
      }),
    async withSettings(use) {
      const probed = await probeDatabase(config.database.url).catch(() => null);
      if (probed?.isCurrent === false) return use(new EffectiveSettings(config, agentProblems));
      await onStore(async ({ settings }) => use(await settings()));
    },
    copyDatabase: (from) =>
      said(terminal, async () => {
        const { copiedLines, copyDatabase } = await import("./moving/copy-database.ts");
        const file = from === null ? sqliteFileOf(config) : path.resolve(from);
        const say = (line: string) => terminal.out(line);
        const copied = await copyDatabase({ config, file, runtime: systemRuntime(), say });
        for (const line of copiedLines(copied, { ...config, file })) say(line);
        const details = `${copied.rows} rows`;
        await onStore(({ audit }) => audit({ act: "database.copied", about: file, details }));
      }),
  };
}

async function requireKept({ kind, url }: Config["database"]): Promise<void> {
  if (kind !== "sqlite") return;
  // Reports a file that this user cannot reach, which `existsSync` would count as missing.
  await checkSqliteFile(url);
  if (existsSync(sqlitePath(url))) return;
  throw new ConfigError([
    `DATABASE_URL: there is no file ${sqlitePath(url)}. Run this in the directory that Deckhand runs in, or set DECKHAND_HOME or DATABASE_URL to the values that it uses.`,
  ]);
}

function storeWorld(config: Config, host: OfflineHost, terminal: Terminal): StoreWorld {
  return {
    ...host,
    log: createLogger("silent", []),
    database: config.database.kind,
    describe: describePlatform,
    snapshots: snapshotsOf(config),
    settings: async () => (await settingsOf(config, host.store)).settings,
    providers: async (by) => (await storedKeys(by, host)).live,
    tryKey: (id, { settings, shown }) => checkKey(id, settings, shown()[id]?.key === "given"),
    sandboxRootOf,
    async audit(entry) {
      const log = {
        error: () => terminal.error("⚠ This was not recorded in the audit log, which could not be written."),
      };
      for (const { auditBeside } of config.features) {
        const write = await auditBeside?.({ ...host, log });
        await write?.({ ...entry, by: "command line" });
      }
    },
    notify: (topic) => notifyProcesses(config, topic),
  };
}

/** The configuration with the page's settings and stored keys, for `doctor`. Changes nothing. */
export async function withStored(config: Config): Promise<StoredSettings> {
  return onCurrentStore(config, async (host) => {
    if (host === null) return { config, pageAgents: { texts: new Map() }, pageSkills: new Map(), problems: [] };
    const { settings, pageAgents } = await settingsOf(config, host.store);
    const pageSkills = textsIn(await host.store.revisions.newestOf("skill"));
    const { live, problem } = await storedKeys(settings.config, host);
    const problems = [...settings.skipped.map(skippedLine), ...(problem === null ? [] : [problem])];
    return { config: { ...settings.config, providers: live.settings }, pageAgents, pageSkills, problems };
  });
}

/** Uses the database, for `doctor`: null if it does not exist or another version has written it. */
export async function onCurrentStore<T>(config: Config, use: (host: OfflineHost | null) => Promise<T>): Promise<T> {
  const { isCurrent } = await probeDatabase(config.database.url).catch(() => ({ isCurrent: false }));
  return isCurrent ? opened(config, use) : use(null);
}

async function settingsOf(given: Config, store: Store) {
  const pageAgents: PageAgents = { texts: new Map() };
  await readPageAgents(store, pageAgents);
  const settings = new EffectiveSettings(given, (config) => agentProblems(config, pageAgents));
  settings.begin(await store.revisions.newest(SETTINGS_REVISION));
  return { settings, pageAgents };
}

async function storedKeys({ providers, providerRegions, features }: Config, host: OfflineHost) {
  const live = liveProviders(providers, providerRegions);
  const stored = await features.find((feature) => feature.storedKeys !== undefined)?.storedKeys?.(host);
  live.setKeys(stored?.keys ?? new Map());
  return { live, problem: stored?.problem ?? null };
}

async function opened<T>(config: Config, work: (host: OfflineHost) => Promise<T>): Promise<T> {
  const runtime = systemRuntime();
  await using parts = new AsyncDisposableStack();
  const store = await openStore(config.database.url, runtime);
  parts.defer(() => store.close());
  const proxied = (url: URL) => proxyFor(config.proxy, url);
  return await work({ store, runtime, home: config.home, proxyFor: proxied });
}

async function said(terminal: Terminal, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    for (const line of commandErrorLines(error)) terminal.error(line);
    terminal.fail();
  }
}
