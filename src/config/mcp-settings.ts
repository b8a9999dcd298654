import { z } from "zod";
import type { Environment } from "./sources.ts";

/** The part of the settings file that names MCP servers, and what of our environment their programs get. */

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
  .meta({ description: "Milliseconds until a call is given up. Default 60000.", examples: [60_000] });

const toolSchema = z.strictObject({
  permission,
  timeoutMs,
  parallel: z
    .boolean()
    .exactOptional()
    .meta({
      description: "Whether calls may run beside others of their turn, where the server says that the tool only reads.",
      examples: [true],
    }),
  disabled: z
    .boolean()
    .exactOptional()
    .meta({ description: "Whether the tool is left out.", examples: [true] }),
});

const shared = {
  permission,
  timeoutMs,
  tools: z
    .record(text, toolSchema)
    .exactOptional()
    .meta({
      description: "Settings of single tools, by the server's names of them; they come before the server's own.",
      examples: [{ search: { permission: "read" }, delete_page: { disabled: true } }],
    }),
};

const commandSchema = z.strictObject({
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
        "Its environment, beside PATH, HOME and the like; nothing else of ours reaches it. ${NAME} takes a variable of ours.",
      examples: [{ EXAMPLE_TOKEN: "${EXAMPLE_TOKEN}" }],
      secret: true,
    }),
  cwd: text.exactOptional().meta({ description: "Its working directory.", examples: ["/srv/tools"] }),
  ...shared,
});

const urlSchema = z.strictObject({
  url: z
    .url({ protocol: /^https?$/, error: "must be an http:// or https:// URL" })
    .meta({ description: "Address of a streamable HTTP server.", examples: ["https://mcp.example.com/mcp"] }),
  headers: z
    .record(text, z.string())
    .exactOptional()
    .meta({
      description: "Headers of every request. ${NAME} takes a variable of our environment.",
      examples: [{ Authorization: "Bearer ${EXAMPLE_TOKEN}" }],
      secret: true,
    }),
  ...shared,
});

/** Names leave room for the tool's in `mcp__server__tool`, and cannot blur where one ends and the other begins. */
const serverName = z
  .string()
  .max(24, "server names have at most 24 characters")
  .regex(/^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/, "server names are letters, digits, - and single _ between them");

export const mcpServersSchema = z.record(
  serverName,
  z.union([commandSchema, urlSchema], "must have either a `command` or a `url`"),
);
export type McpServersSettings = z.infer<typeof mcpServersSchema>;

/** What programs need to run at all and to find their files. Nothing of it is a secret. */
const PASSED_ON = [
  "PATH",
  "HOME",
  "LANG",
  "LC_ALL",
  "TMPDIR",
  "TZ",
  "SystemRoot",
  "COMSPEC",
  "PATHEXT",
  "APPDATA",
  "LOCALAPPDATA",
  "USERPROFILE",
  "TEMP",
] as const;

/** The part of our environment that every server's program gets. */
export function passedOn(env: Environment): Record<string, string> {
  return Object.fromEntries(
    PASSED_ON.flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

export interface ExpandedServers {
  readonly servers: McpServersSettings;
  /** Names of the variables that are referred to. */
  readonly used: readonly string[];
  /** One for each reference to a variable that is not set. */
  readonly problems: readonly { readonly path: readonly string[]; readonly variable: string }[];
}

/** Puts the environment's values in place of `${NAME}` in the servers' environments and headers. */
export function expandServers(servers: McpServersSettings, env: Environment): ExpandedServers {
  const problems: { path: readonly string[]; variable: string }[] = [];
  const used: string[] = [];
  const expand = (values: Readonly<Record<string, string>>, path: readonly string[]) =>
    Object.fromEntries(
      Object.entries(values).map(([key, value]) => {
        const expanded = value.replaceAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_reference, variable: string) => {
          used.push(variable);
          if (env[variable] === undefined) problems.push({ path: [...path, key], variable });
          return env[variable] ?? "";
        });
        return [key, expanded];
      }),
    );
  const expanded = Object.entries(servers).map(([name, server]) => {
    const at = ["mcpServers", name];
    if ("url" in server) {
      const { headers } = server;
      return [name, headers === undefined ? server : { ...server, headers: expand(headers, [...at, "headers"]) }];
    }
    return [name, server.env === undefined ? server : { ...server, env: expand(server.env, [...at, "env"]) }];
  });
  return { servers: Object.fromEntries(expanded), used, problems };
}
