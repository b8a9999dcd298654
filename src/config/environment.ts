import { z } from "zod";
import { PROVIDER_ENVIRONMENT } from "../core/providers/catalog.ts";
import { modelRefSchema } from "./settings.ts";

/** The schema of the environment: what .env.example, the reference in docs and the error messages are made from. */

function variable<S extends z.ZodType>(schema: S, description: string, example: string): S {
  return schema.meta({ description, examples: [example] });
}

function secret<S extends z.ZodType>(schema: S, description: string, example: string): S {
  return schema.meta({ description, examples: [example], secret: true });
}

const word = z.string().regex(/^\S+$/, "must not contain spaces");
const httpUrl = z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" });
const port = z
  .string()
  .refine((value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535, "must be a whole number from 0 to 65535");

/** The page has no login: whoever reaches it and knows the token may do all that a member may. */
const loopbackHost = z
  .string()
  .regex(
    /^(localhost|127(\.\d{1,3}){3}|::1)$/,
    "must be a loopback address: the web page has no login, so it may not be reachable from other machines",
  );

const ownVariables = {
  SLACK_BOT_TOKEN: secret(word.exactOptional(), "The bot's token (OAuth & Permissions). Turns Slack on.", "xoxb-…"),
  SLACK_APP_TOKEN: secret(
    word.exactOptional(),
    "App-level token with connections:write, for Socket Mode: no public address is needed.",
    "xapp-…",
  ),
  SLACK_SIGNING_SECRET: secret(
    word.exactOptional(),
    "For HTTP mode in place of Socket Mode: Slack posts to /slack/events.",
    "0123456789abcdef…",
  ),
  SLACK_API_URL: variable(
    httpUrl.exactOptional(),
    "Root of Slack's Web API, where it is not Slack's own.",
    "https://slack.com/api/",
  ),
  SLACK_HTTP_HOST: variable(word.default("127.0.0.1"), "Address of the listener in HTTP mode.", "127.0.0.1"),
  SLACK_HTTP_PORT: variable(
    port.default("3001"),
    "Port of the listener in HTTP mode; it serves /slack/events only.",
    "3001",
  ),
  DISCORD_TOKEN: secret(word.exactOptional(), "The bot's token. Turns Discord on.", "MTIz…"),
  DISCORD_API_URL: variable(
    httpUrl.exactOptional(),
    "Root of Discord's REST API without version, where it is not Discord's own.",
    "https://discord.com/api",
  ),
  DECKHAND_MODEL: variable(modelRefSchema.exactOptional(), "The model, provider/model.", "anthropic/claude-opus-5-5"),
  DECKHAND_FALLBACK_MODEL: variable(
    modelRefSchema.exactOptional(),
    "Takes over when the model is overloaded, provider/model.",
    "openai/gpt-6-sol",
  ),
  BRAVE_API_KEY: secret(word.exactOptional(), "Key of Brave Search, for web_search.", "BSA…"),
  TAVILY_API_KEY: secret(word.exactOptional(), "Key of Tavily, for web_search.", "tvly-…"),
  SEARXNG_BASE_URL: variable(
    httpUrl.exactOptional(),
    "Address of a SearXNG instance, for web_search.",
    "http://127.0.0.1:8888",
  ),
  DATABASE_URL: secret(
    z
      .string()
      .regex(/^(file:(?!$|:memory:)|postgresql:\/\/)/, "must begin with file: (a path) or postgresql://")
      .refine((url) => url.startsWith("file:") || URL.canParse(url), "must be a whole postgresql:// URL")
      .refine((url) => !/^file:.*\/\.{0,2}$/u.test(url), "must name a file, not a directory")
      .exactOptional(),
    "The database. Default: the file deckhand.db under DECKHAND_HOME.",
    "postgresql://deckhand@localhost:5432/deckhand",
  ),
  DECKHAND_HOME: variable(z.string().default("./data"), "Directory of all state.", "./data"),
  DECKHAND_SANDBOX: variable(
    z.string().default("./data/sandbox"),
    "Parent of the sandbox roots: one folder per channel.",
    "./data/sandbox",
  ),
  DECKHAND_CONFIG: variable(
    z.string().default("./deckhand.config.json"),
    "The settings file.",
    "./deckhand.config.json",
  ),
  HOST: variable(loopbackHost.default("127.0.0.1"), "Address of the web page; loopback only.", "127.0.0.1"),
  PORT: variable(port.default("3000"), "Port of the web page; 0 takes a free one.", "3000"),
  LOG_LEVEL: variable(
    z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
    "How much is logged.",
    "info",
  ),
};

/** Providers of one account share a variable (OPENAI_API_KEY): the schema holds it once, under the first. */
function providerVariables(): Record<string, z.ZodType<string | undefined>> {
  const variables: Record<string, z.ZodType<string | undefined>> = {};
  for (const { id, keyVariable, baseUrlVariable, regionVariable } of PROVIDER_ENVIRONMENT) {
    if (keyVariable !== null) variables[keyVariable] ??= secret(word.optional(), `Key of the provider ${id}.`, "…");
    // Other programs read it, too, and may take what this one does not: it is looked at when the provider is used.
    if (regionVariable !== null)
      variables[regionVariable] ??= variable(word.optional(), `Region of the provider ${id}.`, "eu-central-1");
    variables[baseUrlVariable] ??= variable(
      httpUrl.optional(),
      `Root of the API of the provider ${id}.`,
      "http://127.0.0.1:8000/v1",
    );
  }
  return variables;
}

export const environmentSchema = z.object(ownVariables);
export const providerEnvironmentSchema = z.object(providerVariables());
export type EnvironmentSettings = z.infer<typeof environmentSchema>;
