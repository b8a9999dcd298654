import type { SessionSettings } from "../../core/events/session-settings.ts";
import type { ManagedAgents } from "./managed-agents.ts";

const DEFAULTS: ManagedAgents = {
  executorMaxTurns: 10,
  maxConcurrentExecutors: 4,
  executorIsolation: false,
};

/** The settings of managed mode that can be chosen; absent ones keep their usual values. */
type ManagedChoice = { readonly [Key in Exclude<keyof ManagedAgents, "preset">]?: ManagedAgents[Key] | undefined };

export interface ManagedSettings extends ManagedChoice {
  /** Whether the mode is on unless people choose otherwise. */
  readonly enabled?: boolean | undefined;
  readonly presets?: Readonly<Record<string, ManagedChoice>> | undefined;
}

interface ShippedPreset extends Pick<ManagedAgents, "executorMaxTurns" | "maxConcurrentExecutors"> {
  readonly totalBudgetUsd?: number;
  readonly executorIsolation?: true;
}

/** Presets set limits only; the models stay as configured, since providers differ. */
const SHIPPED: Readonly<Record<string, ShippedPreset>> = {
  careful: { maxConcurrentExecutors: 2, executorMaxTurns: 20, executorIsolation: true },
  cheap: { maxConcurrentExecutors: 1, executorMaxTurns: 6, totalBudgetUsd: 0.5 },
  fast: { maxConcurrentExecutors: 8, executorMaxTurns: 10 },
};

export const SHIPPED_PRESETS: readonly string[] = Object.keys(SHIPPED);

export interface ManagedMode {
  /** The available presets by name. */
  readonly presets: ReadonlyMap<string, ManagedAgents>;
  /** The settings for a session, from its chosen preset or else as configured; null if the mode is off. */
  of(session: SessionSettings): ManagedAgents | null;
}

export function managedMode(settings: ManagedSettings): ManagedMode {
  const usual = over(DEFAULTS, settings);
  const shipped = Object.entries(SHIPPED).map(([name, preset]) => [name, within(settings, preset)] as const);
  const own = Object.entries(settings.presets ?? {}).map(([name, choice]) => [name, over(usual, choice)] as const);
  const presets = new Map([...shipped, ...own].map(([name, managed]) => [name, { ...managed, preset: name }]));
  return {
    presets,
    of: ({ managed = settings.enabled ?? false, managedPreset = "" }) =>
      managed ? (presets.get(managedPreset) ?? usual) : null,
  };
}

function over(usual: ManagedAgents, choice: ManagedChoice): ManagedAgents {
  return {
    managerModel: choice.managerModel ?? usual.managerModel,
    executorModel: choice.executorModel ?? usual.executorModel,
    executorMaxTurns: choice.executorMaxTurns ?? usual.executorMaxTurns,
    maxConcurrentExecutors: choice.maxConcurrentExecutors ?? usual.maxConcurrentExecutors,
    totalBudgetUsd: choice.totalBudgetUsd ?? usual.totalBudgetUsd,
    executorIsolation: choice.executorIsolation ?? usual.executorIsolation,
  };
}

/** A shipped preset never exceeds the configured limits. */
function within(settings: ManagedSettings, preset: ShippedPreset): ManagedAgents {
  const least = (a: number | undefined, b: number | undefined) => Math.min(a ?? Infinity, b ?? Infinity);
  const usd = least(preset.totalBudgetUsd, settings.totalBudgetUsd);
  return {
    ...over(DEFAULTS, settings),
    executorMaxTurns: least(preset.executorMaxTurns, settings.executorMaxTurns),
    maxConcurrentExecutors: least(preset.maxConcurrentExecutors, settings.maxConcurrentExecutors),
    totalBudgetUsd: usd === Infinity ? undefined : usd,
    executorIsolation: preset.executorIsolation ?? settings.executorIsolation ?? false,
  };
}
