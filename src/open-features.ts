import type { WatchRun } from "./adapters/render/watched-runs.ts";
import type { Provided } from "./adapters/web/adapter.ts";
import type { PanelSource } from "./adapters/web/live/overview.ts";
import type { QueryConfig } from "./core/agents/query-config.ts";
import type { ChatCommand, CommandOption, CommandServices } from "./core/command-line/command.ts";
import { privateMessage } from "./core/platform/replies.ts";
import { ConfigError } from "./core/protocol/errors.ts";
import type { RunHook } from "./core/run/run-hooks.ts";
import type { ConfiguredFeature, Feature, OpenFeature } from "./feature.ts";
import type { FeatureHost, OnThreadErased, WriteAudit } from "./feature-host.ts";
import { NO_OWN_FILES, type OwnFiles } from "./tools/own-files.ts";
import type { SourcedTool } from "./tools/toolbox.ts";

export interface Features extends Pick<Provided, "routes" | "sessions" | "logins"> {
  tools(): readonly SourcedTool[];
  sections(config: QueryConfig): string;
  whyMissing(tool: string): string | null;
  /** Resolves when every feature knows whether it has the tool. */
  toolKnown(tool: string): Promise<void>;
  /** Why configured tools are unavailable, one sentence for each. */
  problems(): readonly string[];
  /** The implementation of a command; null if its feature is off. */
  command(name: string): ChatCommand["run"] | null;
  /**
   * The suggestions for an option of a command. Undefined if its feature is off or leaves them to the command's
   * description.
   */
  completionOf(command: string, option: string): CommandOption["complete"];
  readonly delegate: CommandServices["delegate"];
  readonly ownFiles: OwnFiles;
  readonly panels: readonly PanelSource[];
  readonly hooks: readonly RunHook[];
  readonly watchers: readonly WatchRun[];
  readonly audit: WriteAudit;
  /** Calls back with each thread that a feature deletes, or some messages of it. */
  onThreadErased(listener: OnThreadErased): void;
  readJobs(): Promise<readonly string[]>;
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

/** A feature with the operator's settings. */
export type NamedFeature = ConfiguredFeature & Pick<Feature, "name">;

interface Opened extends OpenFeature {
  readonly name: string;
  readonly isEssential: boolean;
}

/** Reports a feature that does not start. Throws ConfigError if it is essential. */
type NotStarted = (feature: Pick<NamedFeature, "name" | "isEssential">, error: unknown) => void;

/**
 * Opens the configured features one after another. Throws ConfigError if an essential one does not open. `say` prints a
 * line on the operator's terminal.
 */
async function openFeatures(
  configured: readonly NamedFeature[],
  host: Omit<FeatureHost, keyof Between>,
  say: (line: string) => void,
): Promise<Features> {
  const open: Opened[] = [];
  const own = host.taken();
  const listeners: OnThreadErased[] = [];
  const between = betweenFeatures(open, host, listeners);
  const toolsOf = (features: readonly Opened[]) => distinct(features, own);
  const notStarted: NotStarted = ({ name, isEssential }, error) => {
    const line = `The feature ${name} cannot start: ${error instanceof Error ? error.message : String(error)}`;
    if (isEssential === true) throw new ConfigError([line]);
    host.log.error({ err: error, feature: name }, "feature_failed");
    say(`⚠ ${line}`);
  };
  for (const feature of configured) {
    const { name, isEssential, open: opening } = feature;
    if (opening === undefined) continue;
    const taken = () => new Set([...own, ...toolsOf(open).tools.map(({ tool }) => tool.name)]);
    const log = host.log.child({ feature: name });
    try {
      open.push({ ...(await opening({ ...host, log, taken, ...between })), name, isEssential: isEssential === true });
    } catch (error) {
      notStarted(feature, error);
    }
  }
  for (const problem of toolsOf(open).problems) say(`⚠ ${problem}`);
  return {
    ...featuresOf(open, toolsOf, { ...host, notStarted }),
    audit: between.audit,
    onThreadErased: (listener) => listeners.push(listener),
  };
}

/** Maximum number of sessions named in one message to the other processes. */
const TOLD_TOGETHER = 50;

type Between = Pick<FeatureHost, "audit" | "showsSession" | "seenChannels" | "sessionsGone" | "threadErased">;

/** Connects features to each other without making them depend on one another. */
function betweenFeatures(
  open: readonly Opened[],
  { cluster, log }: Pick<FeatureHost, "cluster" | "log">,
  listeners: readonly OnThreadErased[],
): Between {
  const goneHere = (sessionIds: readonly string[]): void => {
    for (const { sessionsGone } of open) sessionsGone?.(sessionIds);
  };
  cluster.subscribe("sessions", (about) => goneHere(about.split(" ")));
  return {
    audit: async (entry) => {
      for (const { audit: write } of open) await write?.(entry);
    },
    seenChannels: async (viewer, ids) => (await sessionsOf(open)?.channels(viewer, ids)) ?? new Map(),
    showsSession: async (viewer, sessionId) => ((await sessionsOf(open)?.session(viewer, sessionId)) ?? null) !== null,
    threadErased: (threadId, isWhole) => {
      for (const listener of listeners) listener(threadId, isWhole);
    },
    sessionsGone: (sessionIds) => {
      goneHere(sessionIds);
      if (cluster.size() < 2) return;
      for (let from = 0; from < sessionIds.length; from += TOLD_TOGETHER) {
        const about = sessionIds.slice(from, from + TOLD_TOGETHER).join(" ");
        cluster.publish("sessions", about).catch((error: unknown) => log.warn({ err: error }, "others_not_told"));
      }
    },
  };
}

function sessionsOf(open: readonly Opened[]): OpenFeature["sessions"] {
  return open.find(({ sessions }) => sessions !== undefined)?.sessions;
}

function featuresOf(
  open: readonly Opened[],
  toolsOf: (features: readonly Opened[]) => Distinct,
  { log, notStarted }: Pick<FeatureHost, "log"> & { readonly notStarted: NotStarted },
): Omit<Features, "audit" | "onThreadErased"> {
  return {
    tools: () => toolsOf(open).tools,
    sections: (config) =>
      open
        .map(({ section }) => section?.(config) ?? "")
        .filter((text) => text !== "")
        .join("\n\n"),
    whyMissing: (tool) => open.map(({ whyMissing }) => whyMissing?.(tool) ?? null).find((why) => why !== null) ?? null,
    toolKnown: async (tool) => {
      await Promise.all(open.map(async ({ toolKnown }) => toolKnown?.(tool)));
    },
    problems: () => open.flatMap(({ problems }) => problems?.() ?? []),
    command: (name) => open.find(({ commands }) => commands?.[name] !== undefined)?.commands?.[name] ?? null,
    completionOf: (command, option) => {
      const found = open.find(({ completions }) => completions?.[command]?.[option] !== undefined);
      return found?.completions?.[command]?.[option];
    },
    delegate: (config, settings) =>
      open.reduce((delegating, { delegate }) => delegate?.(delegating, settings) ?? delegating, config),
    ownFiles: open.find(({ ownFiles }) => ownFiles !== undefined)?.ownFiles ?? NO_OWN_FILES,
    routes: new Map(open.map(({ name, routes }) => [name, routes ?? []])),
    sessions: sessionsOf(open) ?? null,
    logins: open.find(({ logins }) => logins !== undefined)?.logins ?? null,
    hooks: open.flatMap(({ name, hook }) => (hook === undefined ? [] : [{ ...hook, name }])),
    watchers: open.flatMap(({ watchRun }) => (watchRun === undefined ? [] : [watchRun])),
    panels: open.flatMap(({ panel }) => (panel === undefined ? [] : [panel])),
    readJobs: async () => (await Promise.all(open.map(async ({ readJobs }) => (await readJobs?.()) ?? []))).flat(),
    start: async (signal) => {
      await Promise.all(
        open.map(async (feature) => {
          try {
            await feature.start?.(signal);
          } catch (error) {
            notStarted(feature, error);
          }
        }),
      );
    },
    stop: async () => {
      await Promise.all(
        open.map(async ({ name, stop }) => {
          await stop?.().catch((error: unknown) => log.error({ err: error, feature: name }, "feature_not_stopped"));
        }),
      );
    },
  };
}

interface Distinct {
  readonly tools: readonly SourcedTool[];
  /** Tool names that two features share, one sentence for each. */
  readonly problems: readonly string[];
}

/** Collects the tools. Of two with the same name, the first counts. */
function distinct(features: readonly Opened[], own: ReadonlySet<string>): Distinct {
  const owners = new Map<string, string>();
  const tools: SourcedTool[] = [];
  const problems: string[] = [];
  for (const { name: feature, tools: given, sourceOf } of features) {
    for (const tool of given?.() ?? []) {
      const owner = own.has(tool.name) ? "Deckhand itself" : owners.get(tool.name);
      if (owner !== undefined) {
        problems.push(
          `The tool ${tool.name} of the feature ${feature} is ignored: ${owner} has a tool with the same name.`,
        );
        continue;
      }
      owners.set(tool.name, `the feature ${feature}`);
      tools.push({ tool, source: sourceOf?.(tool) ?? "built in" });
    }
  }
  return { tools, problems };
}

export interface FeatureList {
  /** The commands of all features, whether on or off. */
  readonly commands: readonly ChatCommand[];
  /** Opens the features. To be called once. */
  open: typeof openFeatures;
  /** The open features; null before they are opened. */
  opened(): Features | null;
}

export function createFeatureList(features: readonly Feature[]): FeatureList {
  let opened: Features | null = null;
  const completing =
    (command: string) =>
    (option: CommandOption): CommandOption => {
      const { complete } = option;
      if (complete === undefined) return option;
      return { ...option, complete: (context) => (opened?.completionOf(command, option.name) ?? complete)(context) };
    };
  return {
    commands: features.flatMap(({ commands }) =>
      (commands ?? []).map(({ whenOff, ...described }) => ({
        ...described,
        ...(described.options && { options: described.options.map(completing(described.name)) }),
        run: async (line, context) => {
          const run = opened?.command(described.name) ?? (typeof whenOff === "string" ? null : whenOff);
          return run === null ? privateMessage(String(whenOff)) : run(line, context);
        },
      })),
    ),
    opened: () => opened,
    open: async (...given) => {
      opened = await openFeatures(...given);
      return opened;
    },
  };
}
