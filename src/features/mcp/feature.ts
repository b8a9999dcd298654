import { z } from "zod";
import { field } from "../../config/fields.ts";
import type { ConfiguredFeature, Feature, GivenSettings, OpenFeature } from "../../feature.ts";
import type { FeatureHost } from "../../feature-host.ts";
import { askAndWait } from "../../tools/native/ask-and-wait.ts";
import { createSystemResolve } from "../../tools/network/resolve.ts";
import { readSealingKey } from "../../tools/secrets/sealing-key.ts";
import type { AskInThread } from "./elicitation/ask-people.ts";
import { mcpServersSchema } from "./settings/entry.ts";
import { inheritedEnvironment } from "./settings/inherited-environment.ts";
import { type McpConfig, readServers } from "./settings/read-servers.ts";
import { SERVER_KEYS, takeServers } from "./settings/shapes.ts";

/** Servers of the Model Context Protocol: their tools, prompts and resources. Each server fails by itself. */
export const mcpFeature: Feature = {
  name: "mcp",
  settings: {
    file: {
      mcpServers: field(
        mcpServersSchema.default({}),
        "Model Context Protocol servers by name. Blocks written for other programs work unchanged (docs/mcp.md).",
        { docs: { url: "https://mcp.example.com/mcp" } },
      ),
      servers: field(mcpServersSchema.exactOptional(), "The same as `mcpServers`, under VS Code's name.", {
        docs: { type: "http", url: "https://mcp.example.com/mcp" },
      }),
      inputs: field(
        z.array(z.looseObject({ id: z.string().min(1, "must not be empty") })).exactOptional(),
        "VS Code's inputs, which `${input:id}` refers to. The value comes from the environment variable named like the id in capitals, with _ for other characters.",
        [{ id: "example-token", type: "promptString" }],
      ),
    },
    ownKeys: SERVER_KEYS,
    fileOnly: Object.fromEntries(
      SERVER_KEYS.map((key) => [
        key,
        "Servers are programs that run on this machine: only the settings file names them.",
      ]),
    ),
  },
  commands: [
    {
      name: "mcp",
      description: "list the MCP servers, or use one of their prompts",
      usage: "[server] [prompt] [arguments]",
      permission: "people",
      options: [
        { name: "server", description: "the server; lists all if left out" },
        { name: "prompt", description: "the prompt; lists all if left out" },
        { name: "arguments", description: "in order, or as name=value" },
      ],
      whenOff: "There are no MCP servers here. An operator adds them (`mcpServers`).",
    },
  ],
  configure,
};

export function mcpSettings({ file, environment }: Pick<GivenSettings, "file" | "environment">) {
  const pasted = takeServers(file);
  const { notes, used, ...read } = readServers(pasted, environment);
  const mcp: McpConfig = { ...read, environment: inheritedEnvironment(environment) };
  return { mcp, notes, used, problems: pasted.problems };
}

function configure({ fileName, ...given }: GivenSettings): ConfiguredFeature {
  const { mcp, notes, used, problems } = mcpSettings(given);
  const mistaken = mcp.idle.filter(({ isMistake }) => isMistake).map(({ name, why }) => `MCP server ${name}: ${why}`);
  const sealing = readSealingKey(given.environment["DECKHAND_SECRET_KEY"] ?? "");
  const isOff = Object.keys(mcp.servers).length === 0 && mcp.idle.length === 0;
  return {
    problems: problems.map((problem) => `${fileName}: ${problem}`),
    warnings: [...notes, ...mistaken],
    usedVariables: used,
    secrets: mcp.secrets,
    check: async ({ runtime, version, log, onStore }) => {
      if (isOff) return [];
      const [{ checkServers }, { createAccessTo }] = await Promise.all([
        import("./check-servers.ts"),
        import("./sign-in/sign-ins.ts"),
      ]);
      return onStore((host) => {
        const vault = host === null ? null : { ...host, given: sealing };
        const reach = { resolve: createSystemResolve(), proxyFor: host?.proxyFor };
        const accessTo = createAccessTo({ vault, reach, ...runtime, replaceSecrets: () => {} });
        return checkServers(mcp, { ...runtime, version, log, accessTo });
      });
    },
    ...(isOff ? {} : { open: (host) => open(mcp, host, sealing) }),
  };
}

/** Servers connect in the background, so that one that is down delays nobody. */
async function open(
  mcp: McpConfig,
  { runtime, version, ...deps }: FeatureHost,
  given: Uint8Array | null,
): Promise<OpenFeature> {
  const [{ createMcpConnections }, { mcpRoutes }, { signInRoutes }, { createAccessTo, followSignIns }] =
    await Promise.all([
      import("./connections.ts"),
      import("./server-states/routes.ts"),
      import("./sign-in/routes.ts"),
      import("./sign-in/sign-ins.ts"),
    ]);
  const { clock, random } = runtime;
  const vault = { ...deps, given };
  const accessTo = createAccessTo({ ...deps, vault, reach: deps, clock });
  const ask: AskInThread = async ({ key, question, options: choices }, ctx, signal) => {
    const body = { kind: "question" as const, key, question, options: [...choices] };
    const { status, answer } = await askAndWait(body, { ctx, signal }, { ...deps, clock });
    if (status !== "answered" || answer === null) return null;
    return { choice: typeof answer.choice === "number" ? answer.choice : null, text: answer.text };
  };
  const servers = createMcpConnections({ ...mcp, version, clock, random, log: deps.log, ask, accessTo });
  return {
    tools: () => servers.tools(),
    sourceOf: ({ name }) => servers.sourceOf(name),
    whyMissing: (tool) => servers.missing(tool),
    toolKnown: (tool) => servers.toolKnown(tool),
    problems: () => servers.problems(),
    routes: [
      ...mcpRoutes(servers, { ...deps, clock }),
      ...signInRoutes({ ...deps, servers, vault, reach: deps, clock }),
    ],
    panel: { title: "MCP servers", lines: () => servers.serverStates(), watch: (changed) => servers.watch(changed) },
    commands: { mcp: (line) => servers.command(line) },
    start: async (signal) => {
      servers.start(signal);
      followSignIns({ ...deps, vault, clock, ...servers }, signal);
    },
    stop: () => servers.stop(),
  };
}
