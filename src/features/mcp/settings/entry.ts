import { z } from "zod";

/** Schema of one MCP server's settings, converted to the bot's shape. Unknown fields are not errors; see shapes.ts. */

const text = z.string().min(1, "must not be empty");

const permission = z
  .enum(["none", "read", "write", "execute"])
  .exactOptional()
  .meta({
    description:
      "The permission that a call needs. Default execute, because a server is a separate program that may do anything. With none or read, its tools run without asking.",
    examples: ["read"],
  });
const timeoutMs = z
  .int("must be a whole number")
  .min(1, "must be at least 1")
  .max(3_600_000, "must be at most 3600000")
  .exactOptional()
  .meta({
    description:
      "Milliseconds of silence after which a call fails; each progress report of the server restarts them. Default 60000. `timeout` is accepted, too; values below 1000 are seconds.",
    examples: [60_000],
  });

const send = z
  .enum(["channel", "files"])
  .exactOptional()
  .meta({
    description:
      "The data that may be sent to the server without asking, even if a page, a message or another server may have influenced the model: what was said in the channel, or files as well. Without this setting, such a call needs an approval, and is refused if nobody can be asked.",
    examples: ["files"],
  });

const toolSchema = z.strictObject(
  {
    permission,
    send,
    timeoutMs,
    parallel: z
      .boolean()
      .exactOptional()
      .meta({
        description:
          "Whether calls may run in parallel with other calls of the same turn, if the server says that the tool only reads.",
        examples: [true],
      }),
    disabled: z
      .boolean()
      .exactOptional()
      .meta({ description: "Whether to leave the tool out.", examples: [true] }),
  },
  "must be reads, sends or an object",
);

const kinds = {
  description:
    "Single tools, by the server's names for them or by patterns (`search_*`). `reads`: the tool looks something up and runs without asking. `sends`: the default for tools not listed. Or an object of settings. They override the server's settings; a name wins over patterns, and a longer pattern over a shorter one.",
  examples: [{ "search_*": "reads", create_issue: "sends", delete_page: { disabled: true } }],
};

const shared = {
  description: z
    .string()
    .exactOptional()
    .meta({ description: "The server's purpose, as `/tools` shows it.", examples: ["Our handbook"] }),
  disabled: z
    .boolean()
    .exactOptional()
    .meta({ description: "Whether to leave the server out.", examples: [true] }),
  permission,
  send,
  timeoutMs,
  tools: z.record(text, toolSchema).exactOptional().meta(kinds),
  onlyTools: z
    .array(text)
    .exactOptional()
    .meta({
      description: "The only tools to use, by the server's names for them or by patterns.",
      examples: [["search"]],
    }),
};

export const commandSchema = z.object({
  command: text.meta({ description: "The program to start.", examples: ["npx"] }),
  args: z
    .array(z.string())
    .exactOptional()
    .meta({ description: "Its arguments.", examples: [["-y", "@example/mcp-server"]] }),
  env: z
    .record(text, z.string())
    .exactOptional()
    .meta({
      description:
        "Its environment, in addition to PATH, HOME and the like; nothing else of Deckhand's environment reaches it. ${NAME}, ${NAME:-default} and ${env:NAME} insert Deckhand's variables, here and in command, args, cwd, url, headers and oauth.",
      examples: [{ EXAMPLE_TOKEN: "${EXAMPLE_TOKEN}" }],
      secret: true,
    }),
  cwd: text.exactOptional().meta({ description: "Its working directory.", examples: ["/srv/tools"] }),
  ...shared,
});

/** Source: RFC 9110, 5.1 and 5.5; whitespace around a value is not sent. */
const isHeaderName = (name: string) => /^[\w!#$%&'*+.^`|~-]*$/.test(name);
const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim());
const NO_VALUE = "must be one line of Latin letters, digits and punctuation, without “typographic” quotes";

const oauthSchema = z
  .object({
    clientId: text.exactOptional().meta({
      description: "The ID of a client registered there for Deckhand, if Deckhand cannot register itself.",
      examples: ["${EXAMPLE_CLIENT_ID}"],
    }),
    clientSecret: text.exactOptional().meta({
      description: "The client's secret, if it has one.",
      examples: ["${EXAMPLE_CLIENT_SECRET}"],
      secret: true,
    }),
    scope: text
      .exactOptional()
      .meta({ description: "The scopes to request, separated by spaces.", examples: ["read write"] }),
    redirectUri: z
      .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
      .exactOptional()
      .meta({
        description: "The redirect address registered for the client.",
        examples: ["http://localhost:33418/callback"],
      }),
    issuer: z
      .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
      .exactOptional()
      .meta({
        description:
          "The name of the authorization server, in place of the one that the server names. It may be in a private network.",
        examples: ["https://login.example.com"],
      }),
  })
  .exactOptional()
  .meta({
    description: "How Deckhand signs in. Most servers need none of it.",
    examples: [{ clientId: "${EXAMPLE_CLIENT_ID}" }],
  });

export const urlSchema = z.object({
  url: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" }).meta({
    description: "Address of a server over streamable HTTP or, for older ones, server-sent events.",
    examples: ["https://mcp.example.com/mcp"],
  }),
  type: z
    .string()
    .exactOptional()
    .meta({ description: "`sse` for an old server; otherwise the protocol is detected.", examples: ["http"] }),
  headers: z
    .record(
      text.refine(isHeaderName, "it may contain only letters, digits and -"),
      z.string().refine(isHeaderValue, NO_VALUE),
    )
    .exactOptional()
    .meta({
      description: "Headers of every request. ${NAME} inserts a variable of Deckhand's environment.",
      examples: [{ Authorization: "Bearer ${EXAMPLE_TOKEN}" }],
      secret: true,
    }),
  oauth: oauthSchema,
  ...shared,
});

const asWritten = {
  tools: z
    .record(text, z.union([z.enum(["reads", "sends"]), toolSchema]))
    .exactOptional()
    .meta(kinds),
};

/** Schema of the servers' settings in the file. Each server is validated by itself (read-servers.ts). */
export const mcpServersSchema = z.record(
  text,
  z.union([commandSchema.extend(asWritten), urlSchema.extend(asWritten)], "must have either a `command` or a `url`"),
);
