import { z } from "zod";
import { field } from "../../config/fields.ts";
import { dollars, tokens } from "../../config/limit-settings.ts";
import { modelRefSchema } from "../../config/settings.ts";
import type { ConfiguredFeature, Feature, GivenSettings } from "../../feature.ts";
import { type ManagedSettings, SHIPPED_PRESETS } from "./presets.ts";

const choices = {
  managerModel: field(modelRefSchema.exactOptional(), "The manager's model.", "anthropic/claude-opus-5-5"),
  executorModel: field(modelRefSchema.exactOptional(), "The executors' model.", "anthropic/claude-haiku-5-5"),
  executorMaxTurns: field(tokens.exactOptional(), "Maximum number of model calls of an executor. Default 10.", 10),
  maxConcurrentExecutors: field(tokens.exactOptional(), "Maximum number of executors at work at once. Default 4.", 4),
  totalBudgetUsd: field(
    dollars.exactOptional(),
    "Maximum cost of manager and executors together, in US dollars, from a person's message to the end of the last run that background executors begin.",
    5,
  ),
  executorIsolation: field(
    z.boolean().exactOptional(),
    "Whether each executor works in its own worktree, which is then merged. Default false.",
    true,
  ),
};
const presetName = z
  .string()
  .regex(
    /^(?!(on|off)$)[a-z0-9][a-z0-9-]*$/,
    "preset names contain only lower-case letters, digits and hyphens, and cannot be on or off",
  );

const settingsSchema = z.strictObject({
  enabled: field(z.boolean().default(false), "Whether a manager plans and executors do the work.", true),
  ...choices,
  presets: field(
    z.record(presetName, z.strictObject(choices)).exactOptional(),
    "Named settings that people choose with `/managed on <name>`. A preset keeps the settings above that it leaves out. The shipped ones, `careful`, `fast` and `cheap`, set limits within those above; a preset of the same name replaces one.",
    { thorough: { executorMaxTurns: 30, executorIsolation: true } },
  ),
});

const file = {
  managedAgents: field(settingsSchema.exactOptional(), "Managed mode: a manager plans, and executors do the work.", {
    enabled: true,
    totalBudgetUsd: 5,
  }),
};

/** Managed mode: a manager plans, and executors do the work, perhaps each in a copy of the files (docs/using.md). */
export const managedFeature: Feature = {
  name: "managed",
  settings: { file },
  commands: [
    {
      name: "managed",
      description: "have a manager plan and executors do the work in this thread",
      usage: "[on|off] [preset]",
      permission: "people",
      options: [
        {
          name: "state",
          description: "on: I plan and delegate; off: I work myself; a preset: on, with its limits",
          choices: ["on", "off", ...SHIPPED_PRESETS],
        },
        {
          name: "preset",
          description: "after on: the name of a preset; /managed alone shows them",
          complete: () => Promise.resolve([]),
        },
      ],
      whenOff: "Managed mode did not start. The startup log says why.",
    },
  ],
  configure,
};

function configure(given: GivenSettings): ConfiguredFeature {
  const { managedAgents } = z.object(file).parse(given.file);
  const settings: ManagedSettings = managedAgents ?? {};
  const presets = Object.entries(settings.presets ?? {}).map(([name, preset]) => [`presets.${name}.`, preset] as const);
  return {
    problems: [],
    models: Object.fromEntries([["", settings] as const, ...presets].flatMap(modelsIn)),
    open: async (host) => (await import("./open.ts")).openManaged(host, settings),
  };
}

/** Models by the settings that name them; `beginning` is the prefix of these settings. */
function modelsIn([beginning, { managerModel, executorModel }]: readonly [string, ManagedSettings]) {
  const named = Object.entries({ managerModel, executorModel });
  return named.flatMap(([name, ref]) =>
    ref === undefined ? [] : [[`managedAgents.${beginning}${name}`, ref] as const],
  );
}
