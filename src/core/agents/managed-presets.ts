import { MANAGED_DEFAULTS } from "./managed-agents.ts";
import type { ManagedAgents } from "./managed-settings.ts";

/** What may be chosen of managed mode; what is absent is as usual. */
type ManagedChoice = { readonly [Key in Exclude<keyof ManagedAgents, "preset">]?: ManagedAgents[Key] | undefined };

/** What configuration says of managed mode. */
export interface ManagedSettings extends ManagedChoice {
  /** By name. */
  readonly presets?: Readonly<Record<string, ManagedChoice>> | undefined;
}

interface ShippedPreset extends Pick<ManagedAgents, "executorMaxTurns" | "maxConcurrentExecutors"> {
  readonly totalBudgetUsd?: number;
  readonly executorIsolation?: true;
}

/** Limits only: the models stay those that are configured, of whichever provider. */
const SHIPPED: Readonly<Record<string, ShippedPreset>> = {
  careful: { maxConcurrentExecutors: 2, executorMaxTurns: 20, executorIsolation: true },
  cheap: { maxConcurrentExecutors: 1, executorMaxTurns: 6, totalBudgetUsd: 0.5 },
  fast: { maxConcurrentExecutors: 8, executorMaxTurns: 10 },
};

export const SHIPPED_PRESETS: readonly string[] = Object.keys(SHIPPED);

/** Managed mode as configured, without a preset. */
export function managedAsConfigured({ presets: _presets, ...configured }: ManagedSettings): ManagedAgents {
  return over(MANAGED_DEFAULTS, configured);
}

/** The presets that there are, by name. */
export function presetsOf(settings: ManagedSettings): ReadonlyMap<string, ManagedAgents> {
  const usual = managedAsConfigured(settings);
  const shipped = Object.entries(SHIPPED).map(([name, preset]) => [name, within(settings, preset)] as const);
  const own = Object.entries(settings.presets ?? {}).map(([name, choice]) => [name, over(usual, choice)] as const);
  const named = [...shipped, ...own].map(([name, managed]) => [name, { ...managed, preset: name }] as const);
  return new Map(named);
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

/** A preset that nobody has configured never goes beyond what somebody has. */
function within(settings: ManagedSettings, preset: ShippedPreset): ManagedAgents {
  const least = (a: number | undefined, b: number | undefined) => Math.min(a ?? Infinity, b ?? Infinity);
  const usd = least(preset.totalBudgetUsd, settings.totalBudgetUsd);
  return {
    ...managedAsConfigured(settings),
    executorMaxTurns: least(preset.executorMaxTurns, settings.executorMaxTurns),
    maxConcurrentExecutors: least(preset.maxConcurrentExecutors, settings.maxConcurrentExecutors),
    totalBudgetUsd: usd === Infinity ? undefined : usd,
    executorIsolation: preset.executorIsolation ?? settings.executorIsolation ?? false,
  };
}
