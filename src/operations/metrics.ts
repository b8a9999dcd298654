import type * as PromClient from "prom-client";
import type { ClusterMember } from "../core/cluster.ts";
import { unlessAborted } from "../core/unless-aborted.ts";
import type { EndedRuns } from "./ended-runs.ts";

/** Data read at each request for metrics. */
export interface MetricSources {
  load(): { readonly running: number; readonly waiting: number };
  /** Whether each platform is connected. */
  connected(): ReadonlyMap<string, boolean>;
  /** All processes that share the database; none if this one has it to itself. */
  members(): Promise<readonly Pick<ClusterMember, "id" | "host" | "pid" | "running" | "waiting">[]>;
  /** Number of settings that differ from those of the other processes. */
  otherSettings(): number;
  readonly ended: Pick<EndedRuns, "counts">;
  /** Votes on runs, by value. */
  feedback(): Promise<Readonly<Record<string, number>>>;
}

/**
 * Metrics in Prometheus' text format, read at the time of the request. The library is loaded on the first request,
 * because it takes 5 MB and many installations never ask.
 */
export function createMetrics(sources: MetricSources): () => Promise<string> {
  let loading: Promise<PromClient.Registry> | null = null;
  return async () => {
    loading ??= createRegistry(sources);
    return (await loading).metrics();
  };
}

/** Limit for the database's part, well below Prometheus' scrape timeout of ten seconds. In milliseconds. */
const DATABASE_TIMEOUT_MS = 3_000;

/** The database's answer, or `nothing` while it does not respond, so that all other metrics are still available. */
async function valueOr<T>(answer: Promise<T>, nothing: T): Promise<T> {
  try {
    return await unlessAborted(answer, AbortSignal.timeout(DATABASE_TIMEOUT_MS));
  } catch {
    return nothing;
  }
}

async function createRegistry(sources: MetricSources): Promise<PromClient.Registry> {
  const client = await import("prom-client");
  const registry = new client.Registry();
  client.collectDefaultMetrics({ register: registry });
  addProcesses(registry, client, sources);
  addRuns(registry, client, sources);
  return registry;
}

function addProcesses(
  registry: PromClient.Registry,
  { Gauge }: typeof PromClient,
  sources: Pick<MetricSources, "members" | "otherSettings" | "connected">,
): void {
  const members = new Gauge({
    name: "deckhand_replica_runs",
    help: "Runs of each process that shares the database, as reported to the others.",
    labelNames: ["replica", "state"],
    registers: [],
    async collect() {
      this.reset();
      for (const { host, pid, running, waiting } of await valueOr(sources.members(), [])) {
        this.set({ replica: `${host}:${pid}`, state: "running" }, running);
        this.set({ replica: `${host}:${pid}`, state: "waiting" }, waiting);
      }
    },
  });
  const settings = new Gauge({
    name: "deckhand_other_settings",
    help: "Number of settings that differ from the other processes that share the database; 0 except during a rollout.",
    registers: [],
    collect() {
      this.set(sources.otherSettings());
    },
  });
  const platforms = new Gauge({
    name: "deckhand_platform_connected",
    help: "1 while the platform is connected.",
    labelNames: ["platform"],
    registers: [],
    collect() {
      for (const [platform, isConnected] of sources.connected()) this.set({ platform }, isConnected ? 1 : 0);
    },
  });
  for (const gauge of [members, settings, platforms]) registry.registerMetric(gauge);
}

function addRuns(
  registry: PromClient.Registry,
  { Counter, Gauge }: typeof PromClient,
  sources: Pick<MetricSources, "load" | "ended" | "feedback">,
): void {
  const runs = new Gauge({
    name: "deckhand_runs",
    help: "Runs that are running or waiting for a slot.",
    labelNames: ["state"],
    registers: [],
    collect() {
      const { running, waiting } = sources.load();
      this.set({ state: "running" }, running);
      this.set({ state: "waiting" }, waiting);
    },
  });
  const ended = new Counter({
    name: "deckhand_runs_ended_total",
    help: "Runs that this process has ended, including those of sub-agents, by outcome and error code.",
    labelNames: ["outcome", "code"],
    registers: [],
    collect() {
      this.reset();
      for (const { outcome, code, count } of sources.ended.counts()) this.inc({ outcome, code }, count);
    },
  });
  const feedback = new Gauge({
    name: "deckhand_run_feedback",
    help: "Votes that people have given on runs.",
    labelNames: ["value"],
    registers: [],
    async collect() {
      this.reset();
      for (const [value, count] of Object.entries(await valueOr(sources.feedback(), {}))) this.set({ value }, count);
    },
  });
  for (const gauge of [runs, feedback]) registry.registerMetric(gauge);
  registry.registerMetric(ended);
}
