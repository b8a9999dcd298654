import { mkdir } from "node:fs/promises";
import path from "node:path";
import type { Config } from "./config.ts";
import { BUILT_IN_AGENTS } from "./core/agent/definitions.ts";
import type { AgentDefinition, QueryConfig } from "./core/agent/query-config.ts";
import { ConfigError } from "./core/protocol/errors.ts";
import type { PlatformName, ThreadRef } from "./core/protocol/platform.ts";
import type { SessionPlace } from "./core/sessions/runner.ts";
import type { SessionRow } from "./core/store/sessions.ts";

/** As people read them in a sentence. */
export const PLATFORM_LABELS: Readonly<Record<PlatformName, string>> = {
  slack: "Slack",
  discord: "Discord",
  web: "the web page",
};

/** What configuration says of channels and agents. */
export interface Places {
  readonly placeOf: (session: SessionRow) => Promise<SessionPlace>;
  readonly agentOf: (channelKey: string) => string;
  readonly requiresMention: (channelKey: string) => boolean;
}

/** `defaultModel` serves where nothing names one. Throws ConfigError when a named agent does not exist. */
export function createPlaces(config: Config, defaultModel: string): Places {
  const agents = agentsOf(config);
  const agentOf = (channelKey: string): string => {
    const agent = config.channels[channelKey]?.agentDefinition ?? config.query.agentDefinition;
    return typeof agent === "string" ? agent : agent.name;
  };
  for (const name of [agentOf(""), ...Object.keys(config.channels).map(agentOf)]) agentNamed(agents, name);

  return {
    agentOf,
    requiresMention: (channelKey) => config.channels[channelKey]?.requireMention ?? false,
    async placeOf({ thread, channelKey, agent: name }) {
      const agent = agents.get(name) ?? agentNamed(agents, agentOf(channelKey));
      const sandboxRoot = sandboxRootOf(config, thread);
      await mkdir(sandboxRoot, { recursive: true });
      return {
        config: queryConfigOf(config, { channelKey, agent, defaultModel }),
        sandboxRoot,
        allowedHosts: config.allowedHosts,
        blockedUrls: config.blockedUrls,
        place: { platform: PLATFORM_LABELS[thread.platform], channel: thread.channelId },
      };
    },
  };
}

/** The built-in agents, then those of the settings, which win; a definition in place of a name counts, too. */
function agentsOf(config: Config): Map<string, AgentDefinition> {
  const agents = new Map(BUILT_IN_AGENTS.map((agent) => [agent.name, agent]));
  const add = (name: string, settings: Partial<AgentDefinition>) => {
    const base = agents.get(name) ?? { name, description: name, prompt: "", access: "full" as const, visible: true };
    agents.set(name, { ...base, ...settings, name });
  };
  for (const [name, settings] of Object.entries(config.agents)) add(name, settings);
  const inPlace = [config.query, ...Object.values(config.channels)].map((settings) => settings.agentDefinition);
  for (const agent of inPlace) if (agent !== undefined && typeof agent !== "string") add(agent.name, agent);
  return agents;
}

function agentNamed(agents: ReadonlyMap<string, AgentDefinition>, name: string): AgentDefinition {
  const agent = agents.get(name);
  if (agent !== undefined) return agent;
  const known = [...agents.keys()].join(", ");
  throw new ConfigError([`agentDefinition: there is no agent "${name}". Known: ${known}; add it under "agents".`]);
}

function queryConfigOf(
  config: Config,
  { channelKey, agent, defaultModel }: { channelKey: string; agent: AgentDefinition; defaultModel: string },
): QueryConfig {
  const {
    agentDefinition: _agent,
    directory: _directory,
    requireMention: _mention,
    ...channel
  } = config.channels[channelKey] ?? {};
  const temperature = agent.temperature ?? channel.temperature ?? config.query.temperature;
  return {
    ...config.query,
    ...channel,
    model: agent.model ?? channel.model ?? config.query.model ?? defaultModel,
    agentDefinition: agent,
    ...(temperature === undefined ? {} : { temperature }),
  };
}

/** The directory bound to the channel, or a folder of its own beneath the sandbox parent. */
function sandboxRootOf(config: Config, thread: ThreadRef): string {
  const bound = config.channels[`${thread.platform}:${thread.channelId}`]?.directory;
  if (bound !== undefined) return bound;
  const folder = `${thread.platform}-${thread.channelId.replace(/[^A-Za-z0-9_-]/g, "_")}`;
  return path.join(config.sandbox, folder);
}
