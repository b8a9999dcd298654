/** Every tool that agents may have. */
export interface TeamTools {
  readonly rows: readonly TeamTool[];
  /** Why tools are missing that there should be, a sentence each. */
  readonly problems: readonly string[];
}

export interface TeamTool {
  readonly name: string;
  /** `built in`, `MCP server docs, not sandboxed` */
  readonly source: string;
  readonly permission: string;
  /** People are asked before each call in mode write, but for what was allowed for longer. */
  readonly asks: boolean;
  /** `reads files · no network · 30 s`; empty for a tool that runs nothing of others. */
  readonly reach: string;
  /** Data leaves by its calls. */
  readonly sends: boolean;
  /** Each request tells of it; otherwise a model finds it when it needs it. */
  readonly isOffered: boolean;
  /** Calls of it run beside others of their turn. */
  readonly isParallel: boolean;
  /** What becomes of a call that a restart cuts off. */
  readonly afterCrash: "replay" | "reconcile" | "never";
  /** Agents that may use it in mode write. */
  readonly agents: readonly string[];
}

/** A tool with what models read of it. */
export interface TeamToolDetails extends TeamTool {
  readonly description: string;
  /** JSON Schema of its arguments, indented. */
  readonly schema: string;
}

/** MCP servers as they stand. */
export interface TeamServers {
  readonly rows: readonly TeamServer[];
  readonly mayReconnect: boolean;
}

export interface TeamServer {
  readonly name: string;
  readonly state: "connecting" | "connected" | "down" | "stopped" | "off";
  /** Milliseconds since the epoch: since when it is connected or lost; null where that says nothing. */
  readonly since: number | null;
  /** Why it is not connected, as a sentence, and when it is tried next; null where it is. */
  readonly problem: string | null;
  /** `a native program of server github`, `server docs at mcp.example.com`; empty where it is off. */
  readonly where: string;
  readonly tools: readonly { readonly name: string; readonly tool: string; readonly kind: "reads" | "sends" }[];
  readonly leftOut: readonly { readonly tool: string; readonly why: string }[];
}
