import { existsSync, realpathSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { loadAgents, type PageAgents } from "./agents.ts";
import { systemTimezone } from "./config/open-settings.ts";
import { isWithin } from "./config/within.ts";
import type { Config } from "./config.ts";
import { ownRoot } from "./core/agents/own-files.ts";
import type { DefinitionSet } from "./core/agents/page-definitions.ts";
import type { AgentDefinition, QueryConfig } from "./core/agents/query-config.ts";
import type { DirectoriesAbove, InstructionRoots, InstructionRule } from "./core/context/system-prompt.ts";
import type { SessionSettings } from "./core/events/session-settings.ts";
import { channelKeyOf, type PlatformName, type ThreadRef } from "./core/platform/thread.ts";
import { ConfigError } from "./core/protocol/errors.ts";
import type { ChannelConfig } from "./core/run/runner-options.ts";
import { narrowTools } from "./core/skills/skill-narrowing.ts";
import type { SessionRow } from "./core/store/sessions.ts";
import { describePlatform } from "./platforms.ts";

/** IANA name of the time zone in which times are shown to people. */
export function timezoneOf({ jobs }: Pick<Config, "jobs">): string {
  return jobs.timezone ?? systemTimezone() ?? "UTC";
}

/** Whether the settings turn a platform on. The page and terminals are always on. */
export function isOn({ slack, discord }: Pick<Config, "slack" | "discord">, platform: PlatformName): boolean {
  const accounts: Partial<Record<PlatformName, unknown>> = { slack, discord };
  return accounts[platform] !== null;
}

export interface ChannelConfigs {
  readonly agents: ReadonlyMap<string, AgentDefinition>;
  /** Messages for the operator about agents that are missing or have no tools. */
  readonly problems: readonly string[];
  readonly agentDefinitions: DefinitionSet;
  /** Channels with settings of their own, such as `slack:C1`. */
  readonly configured: () => readonly string[];
  /** Throws ConfigError if the settings name an agent that exists neither in files nor on the page. */
  readonly requireAgents: () => void;
  readonly channelConfigOf: (session: SessionRow) => Promise<ChannelConfig>;
  /** The query settings of a session, with those of its channel as defaults. */
  readonly configOf: (session: Pick<SessionRow, "channelKey" | "agent" | "settings">) => QueryConfig;
  readonly agentOf: (channelKey: string) => string;
  readonly sandboxRootOf: (thread: ThreadRef) => string;
  /** Where the instruction files of a thread's channel are, and whether they need permission. */
  readonly instructionsOf: (thread: ThreadRef) => { readonly roots: InstructionRoots; readonly rule: InstructionRule };
  readonly requiresMention: (channelKey: string) => boolean;
}

/**
 * Creates the configuration of channels. `defaultModel` is used where no model is named; it is a function because keys
 * may be set at run time.
 */
export function createChannelConfigs(config: Config, defaultModel: () => string, page?: PageAgents): ChannelConfigs {
  const { byName: agents, problems, definitions: agentDefinitions } = loadAgents(config, page);
  const agentOf = (channelKey: string): string => {
    const agent = config.channels[channelKey]?.agentDefinition ?? config.query.agentDefinition;
    return typeof agent === "string" ? agent : agent.name;
  };
  const configOf: ChannelConfigs["configOf"] = ({ channelKey, agent: name, settings }) => {
    const agent = agents.get(name) ?? agentNamed(agents, agentOf(channelKey));
    return withSettings(queryConfigOf(config, { channelKey, agent, defaultModel }), settings);
  };

  return {
    agents,
    problems,
    agentDefinitions,
    configured: () => Object.keys(config.channels),
    requireAgents: () => {
      for (const name of ["", ...Object.keys(config.channels)].map(agentOf)) agentNamed(agents, name);
    },
    agentOf,
    configOf,
    sandboxRootOf: (thread) => sandboxRootOf(config, thread),
    instructionsOf: (thread) => {
      const { root, workingDirectory } = rootOf(config, thread);
      const roots = { sandboxRoot: within(root, workingDirectory), above: above(root, workingDirectory) };
      return { roots, rule: instructionRule(config, thread, roots.sandboxRoot) };
    },
    requiresMention: (channelKey) => config.channels[channelKey]?.requireMention ?? false,
    async channelConfigOf(session) {
      const { thread } = session;
      // An isolated sub-agent works in its own copy of the files.
      const isIsolated = session.task?.isolated === true;
      const { root, workingDirectory } = rootOf(config, thread);
      const sandboxRoot = isIsolated ? ownRoot(config.home, session.id) : within(root, workingDirectory);
      await mkdir(sandboxRoot, { recursive: true });
      return {
        config: configOf(session),
        sandboxRoot,
        above: above(root, workingDirectory),
        allowedHosts: config.allowedHosts,
        sinks: config.sinks,
        blockedUrls: config.blockedUrls,
        place: { platform: describePlatform(thread.platform).title, channel: thread.channelId },
      };
    },
  };
}

/** Problems that keep settings from being used: agents that they name but that do not exist. */
export function agentProblems(config: Config, page?: PageAgents): readonly string[] {
  try {
    createChannelConfigs(config, () => "", page).requireAgents();
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

function agentNamed(agents: ReadonlyMap<string, AgentDefinition>, name: string): AgentDefinition {
  const agent = agents.get(name);
  if (agent !== undefined) return agent;
  const known = [...agents.keys()].join(", ");
  throw new ConfigError([
    `agentDefinition: there is no agent "${name}". Known agents: ${known}. Add it under "agents", or create it on the page.`,
  ]);
}

function queryConfigOf(
  config: Config,
  { channelKey, agent, defaultModel }: { channelKey: string; agent: AgentDefinition; defaultModel: () => string },
): QueryConfig {
  const {
    agentDefinition: _agent,
    directory: _directory,
    instructions: _instructions,
    requireMention: _mention,
    rootMb: _rootMb,
    ...channel
  } = config.channels[channelKey] ?? {};
  const toolAllow = channel.toolAllow ?? config.query.toolAllow;
  const temperature = agent.temperature ?? channel.temperature ?? config.query.temperature;
  return {
    ...config.query,
    ...channel,
    model: agent.model ?? channel.model ?? config.query.model ?? defaultModel(),
    agentDefinition: agent,
    ...(temperature === undefined ? {} : { temperature }),
    ...(agent.tools === undefined ? {} : { toolAllow: narrowTools(toolAllow, agent.tools) }),
  };
}

/**
 * Applies the settings chosen for a session. They override configured ones, and replace a thinking budget or context
 * window configured for another choice.
 */
function withSettings(config: QueryConfig, { mode = config.mode, model, effort }: SessionSettings): QueryConfig {
  const { thinkingBudget: _budget, ...withoutBudget } = config;
  const thinking = effort === undefined ? config : { ...withoutBudget, effortLevel: effort };
  if (model === undefined || model === config.model) return { ...thinking, mode };
  const { contextWindow: _window, ...withoutWindow } = thinking;
  return { ...withoutWindow, mode, model };
}

export function sandboxRootOf(config: Config, thread: ThreadRef): string {
  const { root, workingDirectory } = rootOf(config, thread);
  return within(root, workingDirectory);
}

/**
 * The root directory of a channel, either bound by configuration or a folder beneath the sandbox parent, and the
 * working directory within it.
 */
function rootOf(config: Config, thread: ThreadRef): { readonly root: string; readonly workingDirectory: string } {
  const { directory, workingDirectory = config.query.workingDirectory } = config.channels[channelKeyOf(thread)] ?? {};
  const folder = `${thread.platform}-${thread.channelId.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  return { root: directory ?? path.join(config.sandbox, folder), workingDirectory };
}

/** Whether instructions need permission. An operator's own files do not, while files of a checkout come from others. */
function instructionRule(config: Config, thread: ThreadRef, sandboxRoot: string): InstructionRule {
  const { directory, instructions = config.instructions } = config.channels[channelKeyOf(thread)] ?? {};
  const isRepository = isInCheckout(
    sandboxRoot,
    directory === undefined ? config.sandbox : path.parse(sandboxRoot).root,
  );
  return { isRepository, asks: instructions === undefined ? isRepository : instructions === "ask" };
}

/** Whether a directory, or one above it up to `top`, is a git checkout. */
function isInCheckout(directory: string, top: string): boolean {
  if (directory === top) return false;
  const parent = path.dirname(directory);
  return existsSync(path.join(directory, ".git")) || (parent !== directory && isInCheckout(parent, top));
}

function above(root: string, workingDirectory: string): DirectoriesAbove {
  return { root, directories: directoriesAbove(workingDirectory) };
}

/** The relative paths of the directories above, topmost first: `""` and `a` for `a/b`. */
function directoriesAbove(directory: string): string[] {
  const names = path
    .normalize(directory)
    .split(path.sep)
    .filter((name) => name !== "" && name !== ".");
  return names.map((_, depth) => names.slice(0, depth).join("/"));
}

/**
 * Returns the working directory. Throws ConfigError if a link leads out of the root, since anybody may have written its
 * contents.
 */
function within(root: string, workingDirectory: string): string {
  const place = path.join(root, workingDirectory);
  if (place === path.join(root) || !existsSync(place)) return place;
  if (isWithin(realpathSync(place), realpathSync(root))) return place;
  throw new ConfigError([`workingDirectory: ${workingDirectory} is outside ${root}.`]);
}
