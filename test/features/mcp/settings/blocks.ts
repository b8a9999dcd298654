/** Blocks as people paste them from READMEs, in the words of the program that each was written for. */

export interface Block {
  /** Whose shape it is. */
  readonly shape: string;
  readonly file: object;
  readonly env?: Readonly<Record<string, string>>;
  /** The server that comes of it, as far as it is asked about, by key. */
  readonly server?: Readonly<Record<string, object>>;
  /** Why it is not started. */
  readonly idle?: RegExp;
  /** What is said to have no effect. */
  readonly note?: RegExp;
}

const one = (name: string, entry: unknown) => ({ mcpServers: { [name]: entry } });

export const BLOCKS: readonly Block[] = [
  {
    shape: "ours: what tools do, in a word",
    file: one("w", {
      command: "w",
      tools: { "get_*": "reads", post: "sends", drop: { disabled: true } },
      send: "channel",
    }),
    server: {
      w: {
        send: "channel",
        tools: { "get_*": { permission: "read" }, post: { permission: "execute" }, drop: { disabled: true } },
      },
    },
  },
  {
    shape: "ours: a word that there is not",
    file: one("w", { command: "w", tools: { get: "writes" } }),
    idle: /^tools\.get: must be reads, sends or an object/,
  },
  {
    shape: "Claude Desktop: npx",
    file: one("files", { command: "npx", args: ["-y", "@acme/files-mcp", "/srv/docs"] }),
    server: { files: { command: "npx", args: ["-y", "@acme/files-mcp", "/srv/docs"] } },
  },
  {
    shape: "Claude Desktop: uvx with a key",
    file: one("weather", { command: "uvx", args: ["weather-mcp"], env: { WEATHER_KEY: "abc" } }),
    server: { weather: { command: "uvx", env: { WEATHER_KEY: "abc" } } },
  },
  {
    shape: "Claude Desktop: uv in a directory",
    file: one("stocks", { command: "uv", args: ["--directory", "/opt/stocks", "run", "server.py"] }),
    server: { stocks: { command: "uv" } },
  },
  {
    shape: "Claude Desktop: Docker with variables handed on",
    file: one("forge", {
      command: "docker",
      args: ["run", "-i", "--rm", "-e", "FORGE_TOKEN", "ghcr.io/acme/forge-mcp"],
      env: { FORGE_TOKEN: "<YOUR_TOKEN>" },
    }),
    server: { forge: { command: "docker", env: { FORGE_TOKEN: "<YOUR_TOKEN>" } } },
  },
  {
    shape: "Claude Desktop: a name with spaces",
    file: one("My Notes (beta)", { command: "node", args: ["/opt/notes/index.js"] }),
    server: { "My-Notes-beta-f6dd66": { command: "node", title: "My Notes (beta)" } },
  },
  {
    shape: "Claude Desktop: a package as a name",
    file: one("@acme/knowledge-graph-memory-server", { command: "npx", args: ["-y", "@acme/graph"] }),
    server: { "acme-knowledge-gr-a55921": { title: "@acme/knowledge-graph-memory-server" } },
  },
  {
    shape: "Claude Desktop: Windows",
    file: one("win", { command: "cmd", args: ["/c", "npx", "-y", "@acme/win-mcp"] }),
    server: { win: { command: "cmd" } },
  },
  {
    shape: "Claude Desktop: a bridge to an address",
    file: one("bridge", {
      command: "npx",
      args: ["-y", "mcp-remote", "https://mcp.acme.example/sse", "--header", "Authorization:${ACME_AUTH}"],
      env: { ACME_AUTH: "Bearer t" },
    }),
    env: { ACME_AUTH: "Bearer of ours" },
    server: {
      bridge: {
        args: ["-y", "mcp-remote", "https://mcp.acme.example/sse", "--header", "Authorization:Bearer of ours"],
      },
    },
  },
  {
    shape: "Claude Code: type stdio and an empty environment",
    file: one("local", { type: "stdio", command: "acme-mcp", args: [], env: {} }),
    server: { local: { command: "acme-mcp" } },
  },
  {
    shape: "Claude Code: variables with defaults",
    file: one("api", {
      type: "http",
      url: "${ACME_URL:-https://api.acme.example}/mcp",
      headers: { Authorization: "Bearer ${ACME_TOKEN}" },
    }),
    env: { ACME_TOKEN: "tok-1" },
    server: { api: { url: "https://api.acme.example/mcp", headers: { Authorization: "Bearer tok-1" } } },
  },
  {
    shape: "Claude Code: a variable that is not set",
    file: one("api", {
      type: "http",
      url: "https://a.example/mcp",
      headers: { Authorization: "Bearer ${ACME_TOKEN}" },
    }),
    idle: /^headers\.Authorization refers to ACME_TOKEN, which is not set\.$/,
  },
  {
    shape: "Claude Code: server-sent events",
    file: one("old", { type: "sse", url: "https://a.example/sse", headers: { "X-API-Key": "k" } }),
    server: { old: { url: "https://a.example/sse", type: "sse" } },
  },
  {
    shape: "Claude Code: a plugin's own directory",
    file: one("plugin", { command: "${CLAUDE_PLUGIN_ROOT}/bin/server" }),
    idle: /^command refers to CLAUDE_PLUGIN_ROOT, which is not set\.$/,
  },
  {
    shape: "Cursor: an address alone",
    file: one("docs", { url: "https://docs.acme.example/mcp" }),
    server: { docs: { url: "https://docs.acme.example/mcp" } },
  },
  {
    shape: "Cursor: a program with its arguments in one line",
    file: one("browser", { command: "npx -y @acme/browser-mcp@latest" }),
    server: { browser: { command: "npx", args: ["-y", "@acme/browser-mcp@latest"] } },
  },
  {
    shape: "Cursor: ${env:NAME}, ${userHome} and ${workspaceFolder}",
    file: one("ws", { command: "${userHome}/bin/mcp", args: ["${env:ACME_ID}", "${workspaceFolder}/docs"] }),
    env: { ACME_ID: "7", HOME: "/home/ana" },
    idle: /^args\[1\] refers to \$\{workspaceFolder\}, which only an editor knows; write its value instead\.$/,
  },
  {
    shape: "Cursor: an envFile",
    file: one("db", { type: "stdio", command: "acme-db", envFile: "${workspaceFolder}/.env" }),
    server: { db: { command: "acme-db" } },
    note: /^MCP server db: envFile has no effect here. Put its variables into .*, and each into `env`/,
  },
  {
    shape: "VS Code: servers and inputs",
    file: {
      inputs: [{ type: "promptString", id: "acme-key", description: "Acme API key", password: true }],
      servers: { acme: { type: "stdio", command: "npx", args: ["-y", "acme"], env: { KEY: "${input:acme-key}" } } },
    },
    env: { ACME_KEY: "k-1" },
    server: { acme: { env: { KEY: "k-1" } } },
  },
  {
    shape: "VS Code: an input that nobody has given",
    file: {
      inputs: [{ type: "promptString", id: "acme-key", description: "Acme API key", password: true }],
      servers: { acme: { type: "http", url: "https://a.example/mcp", headers: { Key: "${input:acme-key}" } } },
    },
    idle: /^headers\.Key needs the input acme-key \(Acme API key\); set ACME_KEY\.$/,
  },
  {
    shape: "VS Code: an input with a choice",
    file: {
      inputs: [{ type: "pickString", id: "region", options: ["eu", "us"], default: "eu" }],
      servers: { acme: { url: "https://${input:region}.acme.example/mcp" } },
    },
    server: { acme: { url: "https://eu.acme.example/mcp" } },
  },
  {
    shape: "VS Code: the user's settings",
    file: { mcp: { inputs: [], servers: { time: { command: "uvx", args: ["mcp-server-time"] } } } },
    server: { time: { command: "uvx" } },
  },
  {
    shape: "VS Code: development mode and a gallery",
    file: {
      servers: { dev: { command: "node", args: ["a.js"], gallery: true, version: "1.0", dev: { watch: "src/**" } } },
    },
    server: { dev: { command: "node" } },
    note: /^MCP server dev: dev is unknown and has no effect/,
  },
  {
    shape: "VS Code: null takes a variable away",
    file: { servers: { n: { command: "n", env: { A: null, PORT: 8080, VERBOSE: true } } } },
    server: { n: { env: { PORT: "8080", VERBOSE: "true" } } },
  },
  {
    shape: "Windsurf: serverUrl",
    file: one("figma", { serverUrl: "https://mcp.figma.example/mcp", headers: { "X-Key": "${env:FIGMA_KEY}" } }),
    env: { FIGMA_KEY: "fk" },
    server: { figma: { url: "https://mcp.figma.example/mcp", headers: { "X-Key": "fk" } } },
  },
  {
    shape: "Windsurf: serverUrl of events, tools left out",
    file: one("mem", { serverUrl: "https://m.example/sse", disabledTools: ["wipe"], disabled: false }),
    server: { mem: { url: "https://m.example/sse", tools: { wipe: { disabled: true } } } },
  },
  {
    shape: "Gemini CLI: httpUrl",
    file: one("gh", { httpUrl: "https://api.acme.example/mcp/", headers: { A: "b" }, timeout: 5000 }),
    server: { gh: { url: "https://api.acme.example/mcp/", timeoutMs: 5_000 } },
  },
  {
    shape: "mcporter and the registry: a transport with the address in it",
    file: one("docs", { transport: { type: "streamable-http", url: "https://docs.example/mcp", headers: { A: "b" } } }),
    server: { docs: { url: "https://docs.example/mcp", headers: { A: "b" }, type: "streamable-http" } },
  },
  {
    shape: "Gemini CLI: trust and a choice of tools",
    file: one("g", { command: "g", timeout: 600000, trust: true, includeTools: ["a", "b"], excludeTools: ["b"] }),
    server: { g: { timeoutMs: 600_000, onlyTools: ["a", "b"], tools: { b: { disabled: true } } } },
    note: /^MCP server g: trust has no effect here/,
  },
  {
    shape: "Gemini CLI: variables without braces",
    file: one("g", {
      command: "g",
      args: ["$ACME_TOKEN"],
      env: { TOKEN: "$env:ACME_TOKEN", PASSWORD: "$ECRET", BOTH: "$ACME_TOKEN-${ACME_TOKEN}" },
    }),
    env: { ACME_TOKEN: "t$ACME_TOKEN" },
    server: {
      g: {
        args: ["$ACME_TOKEN"],
        env: { TOKEN: "t$ACME_TOKEN", PASSWORD: "$ECRET", BOTH: "t$ACME_TOKEN-t$ACME_TOKEN" },
      },
    },
  },
  {
    shape: "Codex: a program, in JSON",
    file: {
      mcp_servers: {
        docs: { command: "npx", args: ["-y", "d"], env_vars: ["ACME_ID"], env: { A: "b" }, tool_timeout_sec: 45 },
      },
    },
    env: { ACME_ID: "7" },
    server: { docs: { command: "npx", env: { A: "b", ACME_ID: "7" }, timeoutMs: 45_000 } },
  },
  {
    shape: "Codex: an address with its token in a variable",
    file: {
      mcp_servers: {
        figma: {
          url: "https://f.example/mcp",
          bearer_token_env_var: "FIGMA_TOKEN",
          http_headers: { "X-Region": "eu" },
          env_http_headers: { "X-Team": "FIGMA_TEAM" },
          enabled_tools: ["a"],
          disabled_tools: ["b"],
        },
      },
    },
    env: { FIGMA_TOKEN: "ft", FIGMA_TEAM: "t1" },
    server: {
      figma: {
        headers: { "X-Region": "eu", "X-Team": "t1", Authorization: "Bearer ft" },
        onlyTools: ["a"],
        tools: { b: { disabled: true } },
      },
    },
  },
  {
    shape: "Codex: a token that is not set",
    file: { mcp_servers: { f: { url: "https://f.example/mcp", bearer_token_env_var: "FIGMA_TOKEN" } } },
    idle: /^headers\.Authorization refers to FIGMA_TOKEN, which is not set\.$/,
  },
  {
    shape: "Cline: autoApprove, alwaysAllow, timeout in seconds",
    file: one("c", { command: "node", args: ["c.js"], alwaysAllow: ["list"], autoApprove: ["list"], timeout: 60 }),
    server: { c: { command: "node", timeoutMs: 60_000 } },
    note: /^MCP server c: autoApprove, alwaysAllow have no effect here\. To let a tool run without asking, set it to `"reads"` in `tools`\.$/,
  },
  {
    shape: "Cline: disabled",
    file: one("off", { command: "node", args: ["c.js"], disabled: true, autoApprove: [] }),
    idle: /^It is disabled in the settings\.$/,
  },
  {
    shape: "Cline: transportType",
    file: one("t", { url: "http://127.0.0.1:3000/sse", transportType: "sse", alwaysAllow: [] }),
    server: { t: { url: "http://127.0.0.1:3000/sse", type: "sse" } },
  },
  {
    shape: "Roo Code: streamable-http and alwaysAllow",
    file: one("roo", { type: "streamable-http", url: "https://r.example/mcp", alwaysAllow: ["x"], timeout: 300 }),
    server: { roo: { url: "https://r.example/mcp", timeoutMs: 300_000 } },
    note: /^MCP server roo: alwaysAllow/,
  },
  {
    shape: "Zed: a program in an object",
    file: {
      context_servers: { notion: { command: { path: "npx", args: ["-y", "n"], env: { A: "b" } }, settings: {} } },
    },
    server: { notion: { command: "npx", args: ["-y", "n"], env: { A: "b" } } },
  },
  {
    shape: "Zed: source custom",
    file: { context_servers: { hub: { source: "custom", command: "uvx", args: ["hub", "serve"], env: {} } } },
    server: { hub: { command: "uvx", args: ["hub", "serve"] } },
  },
  {
    shape: "Copilot's coding agent: type local and every tool",
    file: one("s", { type: "local", command: "npx", args: ["@s/mcp"], tools: ["*"], env: { T: "COPILOT_T" } }),
    server: { s: { command: "npx" } },
  },
  {
    shape: "Copilot's coding agent: some tools",
    file: one("s", { type: "http", url: "https://s.example/mcp", tools: ["read", "list"] }),
    server: { s: { onlyTools: ["read", "list"] } },
  },
  {
    shape: "opencode: a list as program, environment",
    file: one("o", { type: "local", command: ["bun", "x", "o-mcp"], environment: { A: "b" }, enabled: true }),
    server: { o: { command: "bun", args: ["x", "o-mcp"], env: { A: "b" } } },
  },
  {
    shape: "opencode: not enabled",
    file: one("o", { type: "remote", url: "https://o.example/mcp", enabled: false }),
    idle: /disabled/,
  },
  {
    shape: "opencode: servers directly under mcp",
    file: {
      mcp: {
        o: { type: "local", command: ["bun", "x", "o"], environment: { O: "1" }, enabled: true },
        r: { type: "remote", url: "https://r.example/mcp" },
      },
    },
    server: {
      o: { command: "bun", args: ["x", "o"], env: { O: "1" } },
      r: { url: "https://r.example/mcp" },
    },
  },
  {
    shape: "LM Studio: description and figures among the arguments",
    file: one("p", { description: "Ports", command: "p", args: ["--port", 8080, "--verbose", true] }),
    server: { p: { description: "Ports", args: ["--port", "8080", "--verbose", "true"] } },
  },
  {
    shape: "Cherry Studio: every field, most of them empty",
    file: one("c", {
      isActive: true,
      type: "streamableHttp",
      baseUrl: "https://c.example/mcp",
      command: "",
      args: null,
      env: null,
      cwd: "",
    }),
    server: { c: { url: "https://c.example/mcp" } },
  },
  {
    shape: "a slip: quotes of a word processor around a token",
    file: one("q", { url: "https://q.example/mcp", headers: { Authorization: "Bearer “t0ken”" } }),
    idle: /^headers\.Authorization: must be one line of Latin letters, digits and punctuation, without “typographic” quotes/,
  },
  {
    shape: "a slip: a colon behind a header's name",
    file: one("q", { url: "https://q.example/mcp", headers: { "Authorization:": "Bearer t" } }),
    idle: /^headers\.Authorization:: is not a valid name: it may contain only letters, digits and -/,
  },
  {
    shape: "a slip: neither program nor address",
    file: one("x", { comand: "npx", args: [] }),
    idle: /^It must have either a `command` or a `url`\.$/,
    note: /^MCP server x: comand is unknown and has no effect\. Did you mean "command"\?$/,
  },
  {
    shape: "a slip: WebSocket",
    file: one("w", { url: "ws://127.0.0.1:8080" }),
    idle: /^url: must be an http:\/\/ or https:\/\/ URL/,
  },
  {
    shape: "a slip: no object",
    file: one("s", "npx -y server"),
    idle: /^It must be an object\.$/,
  },
];
