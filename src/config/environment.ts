import { z } from "zod";
import { PROVIDER_ENVIRONMENT } from "../core/providers/catalog.ts";
import { bareUrl, postgresUrl } from "./database-url.ts";
import { field, httpUrl, listenHost, pathSchema, secret } from "./fields.ts";
import { querySchema } from "./settings.ts";

/** The environment's schema, from which .env.example, the reference in docs and error messages are generated. */

// Examples end in …, and Docker keeps the quotes of its --env-file.
const word = z
  .string()
  .regex(/^[^…]*$/u, { message: "is still an example; replace it with the whole value", abort: true })
  .regex(/^[!#-&(-~]+$/, "must not contain spaces, quotes or non-ASCII characters");
const host = listenHost(word);
const port = z
  .string()
  .refine((value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535, "must be a whole number from 0 to 65535");

const ownVariables = {
  SLACK_BOT_TOKEN: secret(word.exactOptional(), "The bot's token (OAuth & Permissions). Turns Slack on.", "xoxb-…"),
  SLACK_APP_TOKEN: secret(
    word.exactOptional(),
    "App-level token with connections:write, for Socket Mode, which needs no public address.",
    "xapp-…",
  ),
  SLACK_SIGNING_SECRET: secret(
    word.exactOptional(),
    "For HTTP mode instead of Socket Mode: Slack posts to /slack/events.",
    "0123456789abcdef…",
  ),
  SLACK_API_URL: field(
    httpUrl.exactOptional(),
    "Base URL of Slack's Web API, if not Slack's own.",
    "https://slack.com/api/",
  ),
  SLACK_HTTP_HOST: field(host.default("127.0.0.1"), "Address of the listener in HTTP mode.", "127.0.0.1"),
  SLACK_HTTP_PORT: field(
    port.default("3001"),
    "Port of the listener in HTTP mode, which serves only /slack/events.",
    "3001",
  ),
  DISCORD_TOKEN: secret(word.exactOptional(), "The bot's token. Turns Discord on.", "MTIz…"),
  DISCORD_API_URL: field(
    httpUrl.exactOptional(),
    "Base URL of Discord's REST API without the version, if not Discord's own.",
    "https://discord.com/api",
  ),
  DECKHAND_MODEL: querySchema.shape.model,
  DECKHAND_FALLBACK_MODEL: querySchema.shape.fallbackModel,
  DATABASE_URL: secret(
    postgresUrl(
      z
        .string()
        .overwrite(bareUrl)
        .regex(/^(file:(?!$|:memory:)|postgres(ql)?:\/\/)/, "must begin with file: (a path) or postgresql://"),
    )
      .refine((url) => !/^file:.*\/\.{0,2}$/u.test(url), "must name a file, not a directory")
      .refine(
        (url) => !/^file:~(?:\/|$)/u.test(url),
        "must be written out in full: ~ is not expanded to the home directory",
      )
      .refine((url) => !/^file:[^?]*\?\w+=/u.test(url), "must name a file, without parameters (?…)")
      .refine(
        (url) => !/^postgres.*[?&]connection_limit=(?!(?:[2-9]|[1-9]\d{1,2})(?:&|$))/u.test(url),
        "connection_limit must be a whole number from 2 to 999",
      )
      .exactOptional(),
    "The database. Default: the file deckhand.db under DECKHAND_HOME. With PostgreSQL, ?connection_limit=… limits the connections of each process, not counting those for locks (default 10).",
    "postgresql://deckhand@localhost:5432/deckhand",
  ),
  DATABASE_DIRECT_URL: secret(
    postgresUrl(
      z
        .string()
        .overwrite(bareUrl)
        .regex(/^postgres(ql)?:\/\//, "must begin with postgresql://"),
    ).exactOptional(),
    "If DATABASE_URL points to a pooler: the URL of the same database without the pooler, for locks and notifications (docs/scaling.md).",
    "postgresql://deckhand@localhost:5432/deckhand",
  ),
  DECKHAND_ENGINE: field(
    z.enum(["embedded", "dbos"]).default("embedded"),
    "Which engine runs sessions: embedded, in one process, or dbos, in any number of processes on PostgreSQL (docs/scaling.md).",
    "dbos",
  ),
  DECKHAND_HOME: field(
    pathSchema.default("./data"),
    "Directory that holds all state except the sandbox roots.",
    "./data",
  ),
  DECKHAND_SANDBOX: field(
    pathSchema.default("./data/sandbox"),
    "Parent directory of the sandbox roots, one for each channel.",
    "./data/sandbox",
  ),
  DECKHAND_CONFIG: field(pathSchema.default("./deckhand.config.json"), "The settings file.", "./deckhand.config.json"),
  HOST: field(
    host.default("127.0.0.1"),
    "Address that the web page listens on. If it is not a loopback address, everybody must sign in (docs/login.md).",
    "127.0.0.1",
  ),
  PORT: field(port.default("3000"), "Port of the web page; 0 picks a free one.", "3000"),
  HTTPS_PROXY: secret(
    z.string().exactOptional(),
    "The HTTP proxy for outgoing connections (docs/operating.md).",
    "http://name:…@proxy.example.com:3128",
  ),
  HTTP_PROXY: secret(
    z.string().exactOptional(),
    "The proxy for http:// addresses, which are otherwise reached directly; for all addresses if HTTPS_PROXY is not set.",
    "http://name:…@proxy.example.com:3128",
  ),
  NO_PROXY: field(
    z.string().exactOptional(),
    "Hosts and domains to reach without the proxy, separated by commas. This machine itself is always reached directly.",
    ".corp.example.com,10.0.0.5",
  ),
  LOG_LEVEL: field(
    z.enum(["fatal", "error", "warn", "info", "debug", "trace", "silent"]).default("info"),
    "The log level.",
    "info",
  ),
};

/** Providers of one account share a variable (OPENAI_API_KEY), which is listed once, under the first of them. */
function providerVariables(): Record<string, z.ZodType<string | undefined>> {
  const variables: Record<string, z.ZodType<string | undefined>> = {};
  for (const { id, keyVariable, baseUrlVariable, regionVariable } of PROVIDER_ENVIRONMENT) {
    if (keyVariable !== null) variables[keyVariable] ??= secret(word.optional(), `Key of the provider ${id}.`, "…");
    // Other programs read it, too, and may allow other values, so it is validated only when the provider is used.
    if (regionVariable !== null)
      variables[regionVariable] ??= field(word.optional(), `Region of the provider ${id}.`, "eu-central-1");
    variables[baseUrlVariable] ??= field(
      httpUrl.optional(),
      `Base URL of the API of the provider ${id}.`,
      "http://127.0.0.1:8000/v1",
    );
  }
  return variables;
}

export const environmentSchema = z.object(ownVariables);
export const providerEnvironmentSchema = z.object(providerVariables());
export type EnvironmentSettings = z.infer<typeof environmentSchema>;
