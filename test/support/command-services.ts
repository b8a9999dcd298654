import type { QueryConfig } from "../../src/core/agents/query-config.ts";
import type { CommandServices } from "../../src/core/command-line/command.ts";
import type { IntakeOptions } from "../../src/core/inbound/intake.ts";
import { skillCatalogue } from "../../src/core/skills/skills.ts";
import { describePlatform } from "../../src/platforms.ts";
import { buildConfig } from "./query-config.ts";
import { shippedAgent, shippedAgents } from "./shipped-agents.ts";

/** What runs get from features if there are none. */
export const NO_FEATURES = {
  hooks: () => [],
  sections: () => "",
  whyMissing: () => null,
  toolKnown: () => Promise.resolve(),
  delegate: (config: QueryConfig) => config,
};

/** Model of sessions that choose none. */
export const USUAL_MODEL = "anthropic/claude-sonnet-5-5";

/** Dependencies of commands besides the store and the engine: the shipped agents, mode write, no tools. */
export function commandServices(): Pick<IntakeOptions, "announce" | "openPrivateThread" | "firstContact"> &
  Pick<
    CommandServices,
    | "agents"
    | "agentOf"
    | "configOf"
    | "delegate"
    | "allowedHosts"
    | "models"
    | "tools"
    | "toolProblems"
    | "jobs"
    | "skillsOf"
    | "restoreFiles"
    | "describe"
    | "canSeeChannel"
  > {
  return {
    agents: shippedAgents,
    delegate: (config) => config,
    toolProblems: () => [],
    firstContact: { isFirstWord: () => Promise.resolve(false), greet: () => Promise.resolve() },
    agentOf: () => "build",
    configOf: ({ agent, settings }) =>
      buildConfig({
        model: settings.model ?? USUAL_MODEL,
        agentDefinition: shippedAgent(agent),
        mode: settings.mode ?? "write",
        ...(settings.effort === undefined ? {} : { effortLevel: settings.effort }),
      }),
    allowedHosts: [],
    models: {
      list: () =>
        Promise.resolve(
          [USUAL_MODEL, "anthropic/claude-haiku-5-5", "openai/gpt-6-sol"].map((ref) => ({
            ref,
            about: "1,000 tokens",
          })),
        ),
      about: () => Promise.resolve("It reads 1,000 tokens."),
      problemWith: (ref) => Promise.resolve(ref.startsWith("nowhere/") ? "No provider is called nowhere." : null),
      windowOf: () => Promise.resolve(200_000),
    },
    tools: () => Promise.resolve([]),
    skillsOf: () => Promise.resolve(skillCatalogue([], [])),
    jobs: {
      preview: noJobs,
      add: noJobs,
      list: noJobs,
      overview: noJobs,
      overviewOf: noJobs,
      declared: { platforms: new Map(), check: noJobs, apply: noJobs, removeExcept: noJobs },
      act: noJobs,
      edit: noJobs,
      form: noJobs,
      view: noJobs,
    },
    describe: (name) => {
      const platform = describePlatform(name);
      return { ...platform, limits: { ...platform.limits, messageChars: 1_900 }, link: () => null };
    },
    canSeeChannel: () => Promise.resolve(true),
    restoreFiles: () => Promise.reject(new Error("nobody keeps files here")),
    openPrivateThread: () => Promise.resolve(null),
    announce: () => Promise.reject(new Error("nobody posts here")),
  };
}

function noJobs(): Promise<never> {
  return Promise.reject(new Error("nobody keeps jobs here"));
}
