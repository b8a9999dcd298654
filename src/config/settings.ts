import path from "node:path";
import { z } from "zod";
import { EFFORT_LEVELS } from "../core/agents/query-config.ts";
import { REGION } from "../core/providers/catalog.ts";
import { field, httpUrl, pathSchema, secret } from "./fields.ts";
import { dollars, limitFields, tokens } from "./limit-settings.ts";
import { networkSchema } from "./networks.ts";
import { channelKeySchema, personSchema } from "./platform-ids.ts";

/**
 * The schema of `deckhand.config.json`. Each field has a description and an example, from which the JSON Schema for
 * editors, the reference in docs and the error messages are generated.
 */

const text = z.string().min(1, "must not be empty");
const apiKey = text.regex(/^(?!\$\{)/, "cannot refer to a variable: set <PROVIDER>_API_KEY in the environment instead");

export const modelRefSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*\/\S+$/, "must be provider/model, with the provider in lower-case letters");

const people = z.array(personSchema);

const agentFields = {
  description: field(
    text.exactOptional(),
    "What the agent is for; shown in lists and to models that delegate.",
    "Audits changes",
  ),
  model: field(modelRefSchema.exactOptional(), "The agent's own model.", "anthropic/claude-sonnet-5-5"),
  fast: field(z.boolean().exactOptional(), "Whether the agent uses `fastModel` if it has no model of its own.", true),
  temperature: field(z.number().min(0).max(2).exactOptional(), "Sampling temperature, if the model accepts one.", 0.2),
  prompt: field(text.exactOptional(), "The role prompt: the first part of the system prompt.", "You audit changes."),
  access: field(
    z.union([z.enum(["full", "read-only", "search-only"]), text], "must be a string").exactOptional(),
    "Which tools the agent may use. full: all. read-only: tools that only read, web_fetch and questions. search-only: read, glob, grep and web_fetch. Anything else: none.",
    "read-only",
  ),
  tools: field(
    z.array(text).exactOptional(),
    "The tools that the agent may use, among those that its access allows. Default: all of these.",
    ["read", "grep", "bash"],
  ),
  disallowedTools: field(z.array(text).exactOptional(), "Tools that the agent may not use.", ["bash"]),
  visible: field(z.boolean().exactOptional(), "Whether people can see and choose the agent.", true),
  maxTurns: field(
    tokens.exactOptional(),
    "Maximum number of model calls in one run; overrides the general setting.",
    20,
  ),
  color: field(
    z.enum(["red", "orange", "yellow", "green", "cyan", "blue", "purple", "brown", "black", "white"]).exactOptional(),
    "The colour of the agent's marker in lists.",
    "cyan",
  ),
};
/** An agent in the settings, or the front matter of a file in extensions/agents. */
export const agentSchema = z.strictObject(agentFields);
export const agentNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, "agent names consist of lower-case letters, digits and hyphens");
const namedAgentSchema = z.strictObject({ name: field(text, "The agent's name.", "auditor"), ...agentFields });

const priceSchema = z.strictObject({
  input: field(z.number().min(0), "US dollars per million input tokens.", 3),
  output: field(z.number().min(0), "US dollars per million output tokens.", 15),
  cacheRead: field(z.number().min(0).exactOptional(), "US dollars per million tokens read from a cache.", 0.3),
  cacheWrite: field(z.number().min(0).exactOptional(), "US dollars per million tokens written to a cache.", 3.75),
});
const modelFactsSchema = z.strictObject({
  contextWindow: field(tokens.exactOptional(), "Size of the model's context window, in tokens.", 200_000),
  maxOutputTokens: field(
    tokens.exactOptional(),
    "Maximum number of tokens that the model can write in one call.",
    64_000,
  ),
  price: field(priceSchema.exactOptional(), "What the model costs.", { input: 3, output: 15 }),
});
const providerSchema = z.strictObject({
  apiKey: secret(apiKey.exactOptional(), "The key. Prefer the environment variable <PROVIDER>_API_KEY.", "sk-…"),
  baseUrl: field(httpUrl.exactOptional(), "Base URL of the provider's API.", "http://127.0.0.1:8000/v1"),
  region: field(
    z.string().regex(REGION, "must be the name of a region, for example eu-central-1").exactOptional(),
    "Region of a provider with regional addresses (bedrock).",
    "eu-central-1",
  ),
  wire: field(
    z.enum(["anthropic", "responses", "chat"]).exactOptional(),
    "Which API your own provider uses: Anthropic Messages, OpenAI Responses or OpenAI Chat Completions. For `bedrock` and `copilot`, which otherwise choose the API by model, it applies to all models.",
    "chat",
  ),
  models: field(
    z.record(text, modelFactsSchema).exactOptional(),
    "Corrections and additions to the catalog of models, by the provider's name for the model.",
    { "my-model": { contextWindow: 128_000, maxOutputTokens: 8_000 } },
  ),
});
const providersSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "provider ids consist of lower-case letters, digits and hyphens"),
  providerSchema,
);

function isInside(directory: string): boolean {
  return !path.isAbsolute(directory) && !directory.split(/[/\\]/).includes("..");
}

/** Fields that shape a query, in the file's root and in `channels.<platform:id>` alike. */
const queryFields = {
  model: field(modelRefSchema.exactOptional(), "The model, provider/model.", "anthropic/claude-opus-5-5"),
  fallbackModel: field(
    modelRefSchema.exactOptional(),
    "The model to use if the first one is overloaded or its provider fails, provider/model.",
    "openai/gpt-6-sol",
  ),
  maxTokens: field(tokens.exactOptional(), "Maximum output tokens of one model call. Default 32000.", 32_000),
  maxTurns: field(tokens.exactOptional(), "Maximum number of model calls in one run. Default 50.", 50),
  systemPrompt: field(text.exactOptional(), "Replaces the base instructions.", "You are the build team's agent."),
  appendSystemPrompt: field(text.exactOptional(), "Added after the base instructions.", "Answer in French."),
  outputStyle: field(
    z.enum(["default", "explanatory", "learning", "concise", "formal", "casual"]).exactOptional(),
    "The style of answers. Default: default.",
    "concise",
  ),
  outputStylePrompt: field(text.exactOptional(), "An output style in your own words.", "At most five sentences."),
  workingDirectory: field(
    pathSchema.refine(isInside, "must be a path under the sandbox root").exactOptional(),
    "The directory under the sandbox root that tools work in; they cannot access anything above it. The AGENTS.md files from the root down to this directory apply, and CLAUDE.md in directories without one. Each can import files under its root as `@docs/style.md`, but none of a home (`@~/…`), outside code and comments (at most five levels deep and 65,536 characters in total). Tools write imported files, like AGENTS.md itself, only if a person allows it; files in this directory that are imported by an AGENTS.md above it are not protected. Default: the root itself.",
    "service",
  ),
  thinkingBudget: field(
    z.int("must be a whole number").min(0, "must be at least 0").exactOptional(),
    "Maximum number of tokens for thinking; overrides the effort level.",
    10_000,
  ),
  temperature: field(z.number().min(0).max(2).exactOptional(), "Sampling temperature, if the model accepts one.", 0.2),
  toolResultBudget: field(
    tokens.exactOptional(),
    "Maximum characters of tool results kept in a request. Default 50000.",
    50_000,
  ),
  effortLevel: field(
    z.enum(EFFORT_LEVELS).exactOptional(),
    "How much the model thinks, in tokens: low 0, medium 5000, high 10000, max 20000.",
    "medium",
  ),
  maxBudgetUsd: field(dollars.exactOptional(), "US dollars that one run may cost; see `budgets`.", 0.5),
  agentDefinition: field(
    z.union([text, namedAgentSchema], "must be the name of an agent or a complete definition").exactOptional(),
    "The agent that answers: a name from `agents` or extensions/agents, or a definition. Default build.",
    "plan",
  ),
  toolAllow: field(z.array(text).exactOptional(), "If set, only these tools are offered.", ["read", "grep"]),
  contextWindow: field(tokens.exactOptional(), "Size of the context window in tokens; overrides the catalog.", 200_000),
  logContext: field(z.record(text, z.string()).exactOptional(), "Fields added to every log line of a query.", {
    team: "platform",
  }),
  instructions: field(
    z.enum(["trust", "ask"]).exactOptional(),
    "Whether agents follow AGENTS.md, CLAUDE.md and skills in the channel's directory immediately (trust), or only after somebody in the channel has allowed their text (ask). With ask, each version is shown once, and runs continue without it until it is allowed. Default: ask if the directory is in a git checkout, otherwise trust.",
    "trust",
  ),
  mode: field(
    z.enum(["read", "write", "agi"]).exactOptional(),
    "read: agents can only read. write: they also get tools that change files and run commands. agi: like write, but only actions that need approval in every mode ask for it (docs/permissions.md). Default write.",
    "read",
  ),
};

/** The query settings among others. */
export const querySchema = z.object(queryFields);
export const QUERY_KEYS: readonly string[] = Object.keys(queryFields);

const channelSchema = z.strictObject({
  ...queryFields,
  directory: field(
    pathSchema.exactOptional(),
    "Makes this directory the channel's sandbox root; a relative path starts at the directory of the settings file.",
    "/srv/checkout",
  ),
  rootMb: field(
    tokens.exactOptional(),
    "Maximum size of the channel's directory in megabytes; replaces `quotas.rootMb`.",
    10_000,
  ),
  requireMention: field(
    z.boolean().exactOptional(),
    "Whether the bot answers only messages that mention it, even in threads.",
    true,
  ),
});

const host = String.raw`(\*|(\*\.)?([^\s/?#@\\*%:[\]]+|\[[0-9a-fA-F:.]+\]))(:\d{1,5})?`;
const hostPattern = z
  .string()
  .regex(new RegExp(`^${host}$`), "must be a host: example.com, *.example.com, example.com:8443 or *");
const source = z
  .string()
  .regex(
    new RegExp(String.raw`^${host}(/[^\s?#]*)?$`),
    "must be a host, optionally with a path: example.com, *.example.com, example.com:8443, example.com/docs or *",
  );
const sink = z.strictObject({
  host: field(
    hostPattern.refine((text) => !text.startsWith("*:") && text !== "*", "must name specific hosts, not all of them"),
    "The host.",
    "api.example.com",
  ),
  send: field(
    z.enum(["channel", "files"]),
    "The data that may be sent there: what people say in the channel, or files from its directory as well.",
    "channel",
  ),
});
const guardedFile = z
  .string()
  .refine(
    (pattern) => /[^/.*]/.test(pattern) && !/^\/|(^|\/)\.\.(\/|$)|\*\*/.test(pattern),
    "must be a name, or a path without .. relative to the channel's directory; * stands for any part of one name",
  );

const urlPattern = z
  .string()
  .regex(new RegExp(String.raw`^(https?://)?${host}([/?]\S*)?$`, "i"), "must be a host or URL prefix");

function isTimezone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: name }).resolvedOptions().timeZone !== "";
  } catch {
    return false;
  }
}

export const settingsSchema = z.strictObject({
  $schema: field(z.string().exactOptional(), "Where editors find this schema.", "./deckhand.config.schema.json"),
  ...queryFields,
  access: field(
    z
      .strictObject({
        admins: field(people.default([]), "People who may also administer Deckhand.", ["slack:U0123ABCD"]),
        allow: field(people.exactOptional(), "If set, only these people (and admins) are served.", ["slack:U1"]),
        deny: field(people.default([]), "People who are never served.", ["discord:role:1"]),
        guests: field(z.boolean().default(false), "Whether guests of the workspace are served.", false),
        external: field(z.boolean().default(false), "Whether people from other workspaces are served.", false),
        workspaces: field(
          people.exactOptional(),
          "Workspaces to serve: Slack teams or Discord servers. If none is listed for a platform: the workspaces that Deckhand is in when it first starts.",
          ["discord:1180000000000000000"],
        ),
      })
      .prefault({}),
    "Who is served.",
    { admins: ["slack:U0123ABCD"] },
  ),
  approvals: field(
    z
      .strictObject({
        approvers: field(people.default([]), "People who may decide, besides the requester and admins.", [
          "slack:U0123ABCD",
        ]),
        requester: field(z.boolean().default(true), "Whether the person who asked may decide.", true),
        expiresMinutes: field(tokens.default(60), "Minutes until an undecided approval expires.", 60),
      })
      .prefault({}),
    "Who decides approvals.",
    { approvers: ["slack:U0123ABCD"] },
  ),
  web: field(
    z
      .strictObject({
        url: field(
          httpUrl.regex(/^https?:\/\/[^/?#@]+\/?$/u, "must have a host and no path").exactOptional(),
          "Address at which people reach the page through a proxy or under a name. If set, everybody must sign in (docs/login.md).",
          "https://deckhand.example.com",
        ),
        trustProxy: field(
          z.array(networkSchema).default([]),
          "Proxies in front of the page, by address or network, whose headers are trusted for the visitor's address and the requested host.",
          ["127.0.0.1"],
        ),
      })
      .prefault({}),
    "Access to the web page from other machines.",
    { url: "https://deckhand.example.com", trustProxy: ["127.0.0.1"] },
  ),
  jobs: field(
    z
      .strictObject({
        logDays: field(tokens.default(90), "Number of days to keep the log of jobs' runs.", 90),
        timezone: field(
          z
            .string()
            .refine((name) => isTimezone(name), "must be an IANA name like Europe/Paris")
            .exactOptional(),
          "Time zone of jobs that do not set one. Default: the machine's.",
          "Europe/Paris",
        ),
      })
      .prefault({}),
    "Scheduled jobs. Manage the jobs themselves with /jobs, or in the file jobs.json under DECKHAND_HOME.",
    { timezone: "Europe/Paris" },
  ),
  reactions: field(
    z
      .strictObject({
        slack: field(
          z
            .array(z.string().regex(/^[a-z0-9_+'-]+$/, "must be an emoji's name without colons"))
            .default(["robot_face"]),
          "Names of emoji on Slack, without colons.",
          ["robot_face"],
        ),
        discord: field(
          z.array(text).default(["🤖"]),
          "Emoji on Discord: the character itself, or a custom emoji's name.",
          ["🤖"],
        ),
      })
      .prefault({}),
    "Reactions that people use to hand a message to the bot; each starts a session about that message. Empty lists turn this off.",
    { slack: ["robot_face"], discord: ["🤖"] },
  ),
  allowedHosts: field(
    z.array(z.union([source, sink], "must be a host, or { host, send }")).default([]),
    'Hosts that tools may read from without asking: example.com, or *.example.com for its subdomains. Add :port for a port other than 80 and 443, and /path to allow only addresses under it. ["*"] means every public host. Once a conversation contains content from others, data that no person wrote is sent to a host without asking only if the host is written as { "host": "api.example.com", "send": "channel" }, or with "files". Private addresses are never contacted.',
    ["api.github.com"],
  ),
  blockedUrls: field(
    z.array(urlPattern).default([]),
    "URL prefixes to refuse even if their host is allowed, as host/path.",
    ["api.github.com/admin"],
  ),
  guardedFiles: field(
    z.array(guardedFile).default([]),
    "Files that tools change only with a person's approval, each time and in every mode, in addition to files that instruct agents or that machines run automatically. Each entry is a name at any depth, or a path relative to a channel's directory. * stands for any part of one name, and a directory stands for everything in it.",
    ["deploy", "infra/*.tf"],
  ),
  confinement: field(
    z.enum(["auto", "required", "off"]).default("auto"),
    "Whether bubblewrap also confines the sandbox's process: no network, and no files except the sandbox roots and what the process needs. auto: if possible; `deckhand doctor` shows what is missing. required: Deckhand does not start without it. If a channel's directory is a symbolic link, set `directory` to its target instead.",
    "required",
  ),
  ...limitFields,
  fastModel: field(
    modelRefSchema.exactOptional(),
    "A fast model for agents that only explore (those with `fast`, for example explorer), provider/model.",
    "anthropic/claude-haiku-5-5",
  ),
  agents: field(
    z.record(agentNameSchema, agentSchema).default({}),
    "Agents by name: new ones, or changes to existing ones.",
    { auditor: { description: "Audits", prompt: "You audit.", access: "read-only" } },
  ),
  channels: field(
    z.record(channelKeySchema, channelSchema).default({}),
    "Settings for individual channels, by platform:id.",
    { "slack:C0123ABCD": { directory: "/srv/checkout" } },
  ),
  providers: field(providersSchema.default({}), "Model providers by id; the environment takes precedence.", {
    vllm: { baseUrl: "http://127.0.0.1:8000/v1" },
  }),
  providerRegistry: field(
    providersSchema.default({}),
    "The same as `providers`, under the query setting's name; `providers` takes precedence.",
    { vllm: { baseUrl: "http://127.0.0.1:8000/v1" } },
  ),
  maxConcurrentRuns: field(
    tokens.default(32),
    "Maximum number of concurrent runs. Further runs are queued, and people and channels take turns. One person gets at most three quarters of the slots, one channel seven eighths; `quotas` sets other limits.",
    32,
  ),
});

export type Settings = z.infer<typeof settingsSchema>;
export type ChannelSettings = z.infer<typeof channelSchema>;
export type ProviderSettings = z.infer<typeof providerSchema>;
