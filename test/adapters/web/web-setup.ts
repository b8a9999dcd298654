import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { LocalThreadStore } from "../../../src/adapters/render/local/thread-store.ts";
import { createWebPlatform, type WebPlatform } from "../../../src/adapters/web/adapter.ts";
import type { OverviewSource, PanelSource } from "../../../src/adapters/web/live/overview.ts";
import type { FeatureRoutes } from "../../../src/adapters/web/server/feature-routes.ts";
import type { Logins } from "../../../src/adapters/web/server/logins.ts";
import type { Probes } from "../../../src/adapters/web/server/server.ts";
import { CHAT_COMMANDS } from "../../../src/core/commands/registry.ts";
import { KeyedMutex } from "../../../src/core/keyed-mutex.ts";
import type { Log } from "../../../src/core/protocol/log.ts";
import type { Clock } from "../../../src/core/protocol/runtime.ts";
import { onlyProcess } from "../../../src/ownership/only-process.ts";
import { systemRuntime } from "../../../src/runtime.ts";
import { CountingLog } from "../../support/counting-log.ts";
import { BUILT_PAGE } from "../../support/program/built.ts";

export const TOKEN = "a-token-for-tests-only";

/** Directory of the page built from the current sources; bundled for this process if no build exists. */
export const PAGE_DIRECTORY = BUILT_PAGE ?? (await bundledPage());

async function bundledPage(): Promise<string> {
  const { buildPage } = await import("../../../src/adapters/web/build-page.ts");
  const directory = mkdtempSync(path.join(tmpdir(), "deckhand-page-"));
  await buildPage(directory);
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

const { clock, ids } = systemRuntime();

const PROBES: Probes = {
  health: () => ({ status: 200, body: { status: "ok" } }),
  ready: () => ({ status: 503, body: { slack: "connecting" } }),
  metrics: () => Promise.resolve("deckhand_runs_total 3\n"),
};

/** An overview without activity and without jobs. */
export const NOTHING: OverviewSource = {
  summaries: { of: () => Promise.resolve(null), busyThreads: () => Promise.resolve(new Map()) },
  jobs: { overview: () => Promise.resolve([]), view: () => Promise.resolve(null) },
  panels: [],
};

export function openPlatform(options: {
  readonly store: LocalThreadStore;
  readonly log?: Log;
  readonly host?: string;
  readonly url?: string;
  readonly trustProxy?: readonly string[];
  readonly logins?: Logins;
  readonly clock?: Clock;
  readonly port?: number;
  readonly token?: string;
  readonly arrivalMs?: number;
  readonly pingMs?: number;
  readonly pageDirectory?: string;
  readonly overview?: OverviewSource;
  /** Routes of features. */
  readonly routes?: FeatureRoutes;
  /** Receives what tells the pages that a thread, or a part of it, was deleted. */
  readonly onThreadErased?: (tell: (threadId: string, isWhole: boolean) => void) => void;
}): WebPlatform {
  const { overview = NOTHING, logins = null, routes = new Map(), onThreadErased = () => {}, ...rest } = options;
  const platform = createWebPlatform({
    host: "127.0.0.1",
    port: 0,
    url: null,
    trustProxy: [],
    token: TOKEN,
    log: new CountingLog(),
    clock,
    ids,
    writes: new KeyedMutex(),
    probes: PROBES,
    pageDirectory: PAGE_DIRECTORY,
    commands: CHAT_COMMANDS,
    ...rest,
  });
  const cluster = onlyProcess({ clock, log: new CountingLog() });
  platform.provide({ ...overview, routes, sessions: null, logins, onThreadErased, cluster });
  return platform;
}

export function entryUrl(platform: WebPlatform): string {
  const url = platform.entryUrl();
  if (url === null) throw new Error("the platform does not listen");
  return url;
}

/** A panel of a feature with something to show. */
export const SERVERS_PANEL: PanelSource = {
  title: "MCP servers",
  lines: () => [{ line: "⚠ **docs** is not connected: it ended.", nextAt: 0 }],
  watch: () => {},
};
