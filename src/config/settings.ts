import path from "node:path";
import { z } from "zod";
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
const apiKey = text.regex(/^(?!\$\{)/, "is not taken from a variable here: set <PROVIDER>_API_KEY in the environment");

export const modelRefSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*\/\S+$/, "must be provider/model, the provider in small letters");

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
    z.union([z.enum(["full", "read-only", "search-only"]), text], "must be a text").exactOptional(),
    "Which tools the agent may use. full: all. read-only: tools that only read, web_fetch and questions. search-only: read, glob, grep and web_fetch. Anything else: none.",
    "read-only",
  ),
  tools: field(
    z.array(text).exactOptional(),
    "The tools that the agent may use, among those that its access allows. Default: all of these.",
    ["read", "grep", "bash"],
  ),
  disallowedTools: field(z.array(text).exactOptional(), "Tools that the agent may not use.", ["bash"]),
  visible: field(z.boolean().exactOptional(), "Whether people see and choose the agent.", true),
  maxTurns: field(
    tokens.exactOptional(),
    "Maximum number of model calls in one run; wins over the general setting.",
    20,
  ),
  color: field(
    z.enum(["red", "orange", "yellow", "green", "cyan", "blue", "purple", "brown", "black", "white"]).exactOptional(),
    "The colour of the agent's sign in lists.",
    "cyan",
  ),
};
/** An agent in the settings, or the front matter of a file in extensions/agents. */
export const agentSchema = z.strictObject(agentFields);
export const agentNameSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]*$/, "agent names are small letters, digits and hyphens");
const namedAgentSchema = z.strictObject({ name: field(text, "The agent's name.", "auditor"), ...agentFields });

const priceSchema = z.strictObject({
  input: field(z.number().min(0), "US dollars per million input tokens.", 3),
  output: field(z.number().min(0), "US dollars per million output tokens.", 15),
  cacheRead: field(z.number().min(0).exactOptional(), "US dollars per million tokens read from a cache.", 0.3),
  cacheWrite: field(z.number().min(0).exactOptional(), "US dollars per million tokens written to a cache.", 3.75),
});
const modelFactsSchema = z.strictObject({
  contextWindow: field(tokens.exactOptional(), "Size of the model's context window, in tokens.", 200_000),
  maxOutputTokens: field(tokens.exactOptional(), "Maximum number of tokens that the model writes in one call.", 64_000),
  price: field(priceSchema.exactOptional(), "What the model costs.", { input: 3, output: 15 }),
});
const providerSchema = z.strictObject({
  apiKey: secret(apiKey.exactOptional(), "The key. Prefer the environment variable <PROVIDER>_API_KEY.", "sk-…"),
  baseUrl: field(httpUrl.exactOptional(), "Root of the provider's API.", "http://127.0.0.1:8000/v1"),
  region: field(
    z.string().regex(REGION, "must be a region's name, such as eu-central-1").exactOptional(),
    "Region of a provider with regional addresses (bedrock).",
    "eu-central-1",
  ),
  wire: field(
    z.enum(["anthropic", "responses", "chat"]).exactOptional(),
    "Which API a provider of your own speaks: Anthropic Messages, OpenAI Responses or OpenAI Chat Completions. For `bedrock` and `copilot`, which otherwise choose it by model, it applies to all models.",
    "chat",
  ),
  models: field(
    z.record(text, modelFactsSchema).exactOptional(),
    "Corrections and additions to the catalog of models, by the provider's name for the model.",
    { "my-model": { contextWindow: 128_000, maxOutputTokens: 8_000 } },
  ),
});
const providersSchema = z.record(
  z.string().regex(/^[a-z0-9][a-z0-9-]*$/, "provider ids are small letters, digits and hyphens"),
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
    pathSchema.refine(isInside, "must be a path beneath the sandbox root").exactOptional(),
    "The directory beneath the sandbox root that tools work in; they cannot reach above it. The AGENTS.md files from the root down to it apply. Each may import files beneath its root as `@docs/style.md`, outside code (five levels deep, 65,536 characters in all). Tools write imported files, like AGENTS.md itself, only if a person allows it; files in this directory that an AGENTS.md above it imports are not protected. Default: the root itself.",
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
    z.enum(["low", "medium", "high", "max"]).exactOptional(),
    "How much the model thinks, in tokens: low 0, medium 5000, high 10000, max 20000.",
    "medium",
  ),
  maxBudgetUsd: field(dollars.exactOptional(), "US dollars that one run may cost; see `budgets`.", 0.5),
  agentDefinition: field(
    z.union([text, namedAgentSchema], "must be an agent's name or a whole definition").exactOptional(),
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
    "Whether agents follow AGENTS.md, CLAUDE.md and skills of the channel's directory at once (trust), or only after somebody here has allowed their text (ask). With ask, each version is shown once, and runs continue without it until then. Default: ask if the directory is in a git checkout, otherwise trust.",
    "trust",
  ),
  mode: field(
    z.enum(["read", "write", "agi"]).exactOptional(),
    "read: agents only look. write: they also get tools that change files and run commands. agi: like write, but only what asks in every mode asks (docs/permissions.md). Default write.",
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
    "Binds the channel's sandbox root to this directory; a relative path starts at the configuration file.",
    "/srv/checkout",
  ),
  rootMb: field(
    tokens.exactOptional(),
    "Maximum size of the channel's directory in megabytes; replaces `quotas.rootMb`.",
    10_000,
  ),
  requireMention: field(
    z.boolean().exactOptional(),
    "Whether the bot answers only messages that mention it in threads, too.",
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
    "must be a host, perhaps with a path: example.com, *.example.com, example.com:8443, example.com/docs or *",
  );
const sink = z.strictObject({
  host: field(
    hostPattern.refine((text) => !text.startsWith("*:") && text !== "*", "must name a host, not every one"),
    "The host.",
    "api.example.com",
  ),
  send: field(
    z.enum(["channel", "files"]),
    "The data that may go there: what people say in the channel, or files of its directory as well.",
    "channel",
  ),
});
const guardedFile = z
  .string()
  .refine(
    (pattern) => /[^/.*]/.test(pattern) && !/^\/|(^|\/)\.\.(\/|$)|\*\*/.test(pattern),
    "must be a name, or a path without .. from the channel's directory on; * stands for a part of one name",
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
        admins: field(people.default([]), "People who may also administer.", ["slack:U0123ABCD"]),
        allow: field(people.exactOptional(), "If set, only these people (and admins) are served.", ["slack:U1"]),
        deny: field(people.default([]), "People who are never served.", ["discord:role:1"]),
        guests: field(z.boolean().default(false), "Whether guests of the workspace are served.", false),
        external: field(z.boolean().default(false), "Whether people of other workspaces are served.", false),
        workspaces: field(
          people.exactOptional(),
          "Workspaces to serve: Slack teams or Discord servers. For a platform without one here: the workspaces that Deckhand is in at its first start.",
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
          httpUrl.regex(/^https?:\/\/[^/?#@]+\/?$/u, "must name a host and no path").exactOptional(),
          "Address at which people reach the page through a proxy or under a name. If set, everybody signs in (docs/login.md).",
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
          "Time zone of jobs that name none. Default: the machine's.",
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
    "Reactions with which people hand a message to the bot: each begins a session about it. Empty lists turn this off.",
    { slack: ["robot_face"], discord: ["🤖"] },
  ),
  allowedHosts: field(
    z.array(z.union([source, sink], "must be a host, or { host, send }")).default([]),
    'Hosts that tools may read from without asking: example.com, or *.example.com for its subdomains. Add :port for a port other than 80 and 443, and /path to allow only addresses beneath it. ["*"] is every public host. Once a conversation holds content of others, data that no person wrote goes to a host unasked only if the host is written as { "host": "api.example.com", "send": "channel" }, or with "files". Private addresses are never reached.',
    ["api.github.com"],
  ),
  blockedUrls: field(
    z.array(urlPattern).default([]),
    "URL prefixes to refuse although their host is allowed, as host/path.",
    ["api.github.com/admin"],
  ),
  guardedFiles: field(
    z.array(guardedFile).default([]),
    "Files that tools change only with a person's decision, each time and in every mode, in addition to those that instruct agents or that machines run automatically. Each is a name at any depth, or a path relative to a channel's directory. * stands for any part of one name, and a directory for everything in it.",
    ["deploy", "infra/*.tf"],
  ),
  confinement: field(
    z.enum(["auto", "required", "off"]).default("auto"),
    "Whether bubblewrap confines the sandbox's process as well: no network, and no files but the sandbox roots and what the process needs. auto: if possible; `deckhand doctor` says what is missing. required: Deckhand does not start without it. If a channel's directory is a symbolic link, name its target instead.",
    "required",
  ),
  ...limitFields,
  fastModel: field(
    modelRefSchema.exactOptional(),
    "A quick model for agents that only explore (those with `fast`, such as explorer), provider/model.",
    "anthropic/claude-haiku-5-5",
  ),
  agents: field(
    z.record(agentNameSchema, agentSchema).default({}),
    "Agents by name: new ones, or changes to existing ones.",
    { auditor: { description: "Audits", prompt: "You audit.", access: "read-only" } },
  ),
  channels: field(
    z.record(channelKeySchema, channelSchema).default({}),
    "Settings of single channels, by platform:id.",
    { "slack:C0123ABCD": { directory: "/srv/checkout" } },
  ),
  providers: field(providersSchema.default({}), "Model providers by id; the environment wins.", {
    vllm: { baseUrl: "http://127.0.0.1:8000/v1" },
  }),
  providerRegistry: field(
    providersSchema.default({}),
    "The same as `providers`, under the query setting's name; `providers` wins.",
    { vllm: { baseUrl: "http://127.0.0.1:8000/v1" } },
  ),
  maxConcurrentRuns: field(
    tokens.default(32),
    "Maximum number of runs at work at once. The rest queue, and people and channels take turns. One person takes at most three quarters of the places, one channel seven eighths; `quotas` sets other shares.",
    32,
  ),
});

export type Settings = z.infer<typeof settingsSchema>;
export type ChannelSettings = z.infer<typeof channelSchema>;
export type ProviderSettings = z.infer<typeof providerSchema>;
