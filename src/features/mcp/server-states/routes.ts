import { z } from "zod";
import type { Clock } from "../../../core/protocol/runtime.ts";
import type { FeatureHost, OpenFeature } from "../../../feature.ts";
import type { McpConnections, McpServerView } from "../connections.ts";
import { foreignLine } from "../foreign-text.ts";
import { isHarmless } from "../server-settings.ts";

type Route = NonNullable<OpenFeature["routes"]>[number];

/** A server as the page lists it; what it says of itself is cut, and is text. */
interface ShownServer {
  readonly name: string;
  readonly state: McpServerView["state"]["type"] | "off";
  /** Milliseconds since the epoch: since when it is connected or lost; null where that says nothing. */
  readonly since: number | null;
  /** Why it is not connected, as a sentence, and when it is tried next; null where it is. */
  readonly problem: string | null;
  /** `a native program of server github`, `server docs at mcp.example.com`; empty where it is off. */
  readonly where: string;
  readonly tools: readonly { readonly name: string; readonly tool: string; readonly kind: "reads" | "sends" }[];
  readonly leftOut: readonly { readonly tool: string; readonly why: string }[];
}

/** How soon a server may be connected anew again: its program starts each time. Milliseconds. */
const PAUSE_MS = 5_000;
const NAME_CHARS = 80;
const askedSchema = z.object({ name: z.string().max(200) });

/** Servers as they stand now, for whoever reads the page; an operator connects one anew. */
export function mcpRoutes(
  servers: Pick<McpConnections, "describe" | "idle" | "connection">,
  { clock, hideIn, audit }: Pick<FeatureHost, "hideIn" | "audit"> & { readonly clock: Pick<Clock, "now"> },
): readonly Route[] {
  const begunAt = new Map<string, number>();
  const shown = () => [...servers.describe().map(shownServer), ...servers.idle.map(idleServer)];
  return [
    {
      method: "GET",
      path: "/servers",
      handle: async ({ viewer }) => {
        const mayReconnect = viewer.kind === "operator" || viewer.account.role !== "viewer";
        return { status: 200, body: hideIn({ rows: shown(), mayReconnect }) };
      },
    },
    {
      method: "POST",
      path: "/reconnect",
      role: "operator",
      handle: async ({ body, viewer }) => {
        const name = askedSchema.safeParse(body).data?.name ?? "";
        const connection = servers.connection(name);
        if (connection === undefined) return { status: 404, body: { error: "No such server is started." } };
        const now = clock.now();
        if (now - (begunAt.get(name) ?? 0) < PAUSE_MS)
          return { status: 429, body: { error: "It was connected anew a moment ago. Wait a few seconds." } };
        begunAt.set(name, now);
        await audit({ by: viewer.kind === "operator" ? "" : viewer.account.name, act: "mcp.reconnected", about: name });
        await connection.reconnect();
        return { status: 200, body: hideIn({ server: shown().find((server) => server.name === name) }) };
      },
    },
  ];
}

function shownServer({ name, whereabouts, state, tools, leftOut, problem }: McpServerView): ShownServer {
  return {
    name,
    state: state.type,
    since: "since" in state ? state.since : null,
    problem,
    where: whereabouts,
    tools: tools.map(({ name: called, tool, permission }) => ({
      name: called,
      tool,
      kind: isHarmless(permission) ? "reads" : "sends",
    })),
    leftOut: leftOut.map(({ tool, why }) => ({ tool: foreignLine(tool, NAME_CHARS), why })),
  };
}

function idleServer({ name, why }: McpConnections["idle"][number]): ShownServer {
  return { name, state: "off", since: null, problem: why, where: "", tools: [], leftOut: [] };
}
