import { z } from "zod";

/** Schema of one MCP server's settings, converted to the bot's shape. Unknown fields are not errors; see shapes.ts. */

const text = z.string().min(1, "must not be empty");

const permission = z
  .enum(["none", "read", "write", "execute"])
  .exactOptional()
  .meta({
    description:
      "What a call needs from roles and modes. Default execute, since a server is a program of its own that may do anything; none or read let its tools run unasked.",
    examples: ["read"],
  });
const timeoutMs = z
  .int("must be a whole number")
  .min(1, "must be at least 1")
  .max(3_600_000, "must be at most 3600000")
  .exactOptional()
  .meta({
    description:
      "Milliseconds until a call is given up of which nothing is heard; its server's reports of progress begin them anew. Default 60000. `timeout` is read, too: below 1000 as seconds.",
    examples: [60_000],
  });

const send = z
  .enum(["channel", "files"])
  .exactOptional()
  .meta({
    description:
      "Up to what goes there unasked once a page, a message or another server may have had the model write it: what was said in the channel, or files, too. Without it such a call is shown first, and refused where nobody is asked.",
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
          "Whether calls may run beside others of their turn, where the server says that the tool only reads.",
        examples: [true],
      }),
    disabled: z
      .boolean()
      .exactOptional()
      .meta({ description: "Whether the tool is left out.", examples: [true] }),
  },
  "must be reads, sends or an object",
);

const kinds = {
  description:
    "Single tools, by the server's names of them or patterns (`search_*`): `reads`, it looks something up and runs unasked; `sends`, as a tool is taken of which nothing is said; or an object of settings. They come before the server's own, a name before patterns, a longer pattern before a shorter one.",
  examples: [{ "search_*": "reads", create_issue: "sends", delete_page: { disabled: true } }],
};

const shared = {
  description: z
    .string()
    .exactOptional()
    .meta({ description: "What the server is for, as people read it in `/tools`.", examples: ["Our handbook"] }),
  disabled: z
    .boolean()
    .exactOptional()
    .meta({ description: "Whether the server is left out.", examples: [true] }),
  permission,
  send,
  timeoutMs,
  tools: z.record(text, toolSchema).exactOptional().meta(kinds),
  onlyTools: z
    .array(text)
    .exactOptional()
    .meta({
      description: "The only tools that are taken, by the server's names of them or patterns.",
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
        "Its environment, beside PATH, HOME and the like; nothing else of ours reaches it. ${NAME}, ${NAME:-default} and ${env:NAME} take variables of ours, here as in command, args, cwd, url and headers.",
      examples: [{ EXAMPLE_TOKEN: "${EXAMPLE_TOKEN}" }],
      secret: true,
    }),
  cwd: text.exactOptional().meta({ description: "Its working directory.", examples: ["/srv/tools"] }),
  ...shared,
});

/** Source: RFC 9110, 5.1 and 5.5; whitespace around a value is not sent. */
const isHeaderName = (name: string) => /^[\w!#$%&'*+.^`|~-]*$/.test(name);
const isHeaderValue = (value: string) => /^[\t\x20-\x7e\x80-\xff]*$/.test(value.trim());
const NO_VALUE = "must be Latin letters, digits and signs on one line, without “typographic” quotes";

export const urlSchema = z.object({
  url: z.url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" }).meta({
    description: "Address of a server over streamable HTTP or, as older ones have it, server-sent events.",
    examples: ["https://mcp.example.com/mcp"],
  }),
  type: z
    .string()
    .exactOptional()
    .meta({ description: "`sse` for an old server; otherwise found out by asking it.", examples: ["http"] }),
  headers: z
    .record(
      text.refine(isHeaderName, "it holds letters, digits and - alone"),
      z.string().refine(isHeaderValue, NO_VALUE),
    )
    .exactOptional()
    .meta({
      description: "Headers of every request. ${NAME} takes a variable of our environment.",
      examples: [{ Authorization: "Bearer ${EXAMPLE_TOKEN}" }],
      secret: true,
    }),
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
