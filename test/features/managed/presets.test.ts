import { expect, test } from "vitest";
import { asManager } from "../../../src/features/managed/as-manager.ts";
import { type ManagedSettings, managedMode } from "../../../src/features/managed/presets.ts";
import { buildConfig } from "../../support/query-config.ts";

const cases: readonly { name: string; settings: ManagedSettings; preset: string; is: object }[] = [
  {
    name: "a shipped preset has its own values without settings",
    settings: {},
    preset: "careful",
    is: { maxConcurrentExecutors: 2, executorMaxTurns: 20, totalBudgetUsd: undefined, executorIsolation: true },
  },
  {
    name: "a shipped preset does not exceed the configured limits",
    settings: { maxConcurrentExecutors: 3, executorMaxTurns: 5, totalBudgetUsd: 2 },
    preset: "fast",
    is: { maxConcurrentExecutors: 3, executorMaxTurns: 5, totalBudgetUsd: 2, executorIsolation: false },
  },
  {
    name: "a shipped preset may be stricter than the settings",
    settings: { maxConcurrentExecutors: 3, totalBudgetUsd: 2, executorIsolation: true },
    preset: "cheap",
    is: { maxConcurrentExecutors: 1, executorMaxTurns: 6, totalBudgetUsd: 0.5, executorIsolation: true },
  },
  {
    name: "a shipped preset does not change the configured models",
    settings: { managerModel: "anthropic/claude-opus-5-5", executorModel: "openai/gpt-6-sol" },
    preset: "cheap",
    is: { managerModel: "anthropic/claude-opus-5-5", executorModel: "openai/gpt-6-sol" },
  },
  {
    name: "a configured preset may exceed the general settings, which apply to its unset fields",
    settings: { totalBudgetUsd: 1, maxConcurrentExecutors: 3, presets: { big: { totalBudgetUsd: 20 } } },
    preset: "big",
    is: { totalBudgetUsd: 20, maxConcurrentExecutors: 3, executorMaxTurns: 10 },
  },
  {
    name: "a configured preset replaces a shipped one of its name",
    settings: { presets: { careful: { executorMaxTurns: 30 } } },
    preset: "careful",
    is: { executorMaxTurns: 30, maxConcurrentExecutors: 4, executorIsolation: false },
  },
];

test.each(cases)("$name", ({ settings, preset, is }) => {
  expect(managedMode(settings).presets.get(preset)).toMatchObject({ ...is, preset });
});

const USUAL = { executorMaxTurns: 10, maxConcurrentExecutors: 4, executorIsolation: false };

test("without a preset the settings apply, or else the defaults", () => {
  expect(managedMode({}).of({ managed: true })).toMatchObject(USUAL);
  const configured = managedMode({ executorMaxTurns: 3, presets: {} });
  expect(configured.of({ managed: true, managedPreset: "gone" })).toMatchObject({ ...USUAL, executorMaxTurns: 3 });
});

test.each([
  { enabled: false, said: {}, isOn: false },
  { enabled: true, said: {}, isOn: true },
  { enabled: true, said: { managed: false }, isOn: false },
  { enabled: false, said: { managed: true }, isOn: true },
])("configured as $enabled and chosen as $said, managed mode is on: $isOn", ({ enabled, said, isOn }) => {
  expect(managedMode({ enabled }).of(said) !== null).toBe(isOn);
});

test.each([
  { managed: USUAL, says: "Executors use demo/usual, unless" },
  {
    managed: { ...USUAL, executorModel: "openai/gpt-6-luna" },
    says: "Executors use openai/gpt-6-luna, unless",
  },
  { managed: { ...USUAL, executorMaxTurns: 7 }, says: "each has at most 7 turns" },
])("a manager's prompt describes its executors: $says", ({ managed, says }) => {
  const { agentDefinition } = asManager(buildConfig({ model: "demo/usual" }), managed);
  expect(agentDefinition.prompt).toContain(says);
});
