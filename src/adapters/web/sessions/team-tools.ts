export interface TeamTools {
  readonly rows: readonly TeamTool[];
  /** Why expected tools are missing, one sentence each. */
  readonly problems: readonly string[];
}

export interface TeamTool {
  readonly name: string;
  /** `built in`, `MCP server docs, not sandboxed` */
  readonly source: string;
  readonly permission: string;
  /** True if calls in mode write need approval, unless a grant covers them. */
  readonly asks: boolean;
  /** `reads files · no network · 30 s`; empty for a tool that runs no third-party code. */
  readonly reach: string;
  /** True if calls send data out. */
  readonly sends: boolean;
  /** True if each model request includes the tool; otherwise models find it by search. */
  readonly isOffered: boolean;
  /** True if calls run concurrently with other calls of their turn. */
  readonly isParallel: boolean;
  /** What happens to a call that a restart interrupted. */
  readonly afterCrash: "replay" | "reconcile" | "never";
  /** Agents that may use it in mode write. */
  readonly agents: readonly string[];
}

/** A tool with the text and schema that models read. */
export interface TeamToolDetails extends TeamTool {
  readonly description: string;
  /** JSON Schema of its arguments, indented. */
  readonly schema: string;
}

export interface TeamServerSignIn {
  /** Whether it waits for somebody to sign in. */
  readonly isWanted: boolean;
  /** Who has signed in, and when in milliseconds since the epoch; null if nobody has. */
  readonly account: { readonly by: string; readonly at: number } | null;
}

/** What begins a sign-in to an MCP server: the browser goes to `address`, and later sends `begun` with the answer. */
export interface BegunSignIn {
  readonly address: string;
  /** For the server alone. */
  readonly begun: string;
}

/** The server after a sign-in or a sign-out, and what people must know besides, in sentences. */
export interface ChangedSignIn {
  readonly server: TeamServer | null;
  readonly notes: readonly string[];
}

/** The MCP servers and their current state. */
export interface TeamServers {
  readonly rows: readonly TeamServer[];
  readonly mayReconnect: boolean;
  readonly maySignIn: boolean;
}

export interface TeamServer {
  readonly name: string;
  readonly state: "connecting" | "connected" | "down" | "stopped" | "off";
  /** When it was connected or lost, in milliseconds since the epoch; null if that does not apply. */
  readonly since: number | null;
  /** Why it is not connected and when the next attempt is, as a sentence; null if it is connected. */
  readonly problem: string | null;
  /** Null if nobody has signed in to it, and it does not want that. */
  readonly signIn: TeamServerSignIn | null;
  /** `a native program of server github`, `server docs at mcp.example.com`; empty if the server is off. */
  readonly where: string;
  readonly tools: readonly { readonly name: string; readonly tool: string; readonly kind: "reads" | "sends" }[];
  readonly leftOut: readonly { readonly tool: string; readonly why: string }[];
}
