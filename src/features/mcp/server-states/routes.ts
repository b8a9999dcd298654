import { z } from "zod";
import { Attempts } from "../../../core/attempts.ts";
import type { Clock } from "../../../core/protocol/runtime.ts";
import { type FeatureRoute, getRoute, postRoute, type TeamServer, type TeamServers } from "../../../feature.ts";
import type { FeatureHost } from "../../../feature-host.ts";
import type { McpConnections, McpServerView } from "../connections.ts";
import { foreignLine } from "../foreign-text.ts";
import { isHarmless } from "../server-settings.ts";

/** Minimum time between reconnections of one server, in milliseconds, since each starts its program. */
const PAUSE_MS = 5_000;
const NAME_CHARS = 80;
const askedSchema = z.object({ name: z.string().max(200) });

type Host = Pick<FeatureHost, "hideIn" | "audit" | "cluster" | "log"> & { readonly clock: Pick<Clock, "now"> };

/**
 * Routes of the page: the servers with their current state, for anyone who may read it; and an operator's
 * reconnection of a server, in all processes.
 */
export function mcpRoutes(
  servers: Pick<McpConnections, "describe" | "idle" | "connection">,
  { clock, hideIn, audit, cluster, log }: Host,
): readonly FeatureRoute[] {
  const begun = new Attempts(clock, PAUSE_MS);
  const shown = () => shownServers(servers);
  cluster.subscribe("servers", (name) => {
    if (begun.waitS(name, 1) > 0) return;
    begun.add(name);
    const failed = (error: unknown) => log.warn({ err: error, server: name }, "mcp_not_reconnected");
    servers.connection(name)?.reconnect().catch(failed);
  });
  return [
    getRoute("/servers", async ({ role }) => {
      const body: TeamServers = { rows: shown(), mayReconnect: role !== "viewer", maySignIn: role === "admin" };
      return { status: 200, body: hideIn(body) };
    }),
    postRoute("/reconnect", async ({ body, by }) => {
      const name = askedSchema.safeParse(body).data?.name ?? "";
      const connection = servers.connection(name);
      if (connection === undefined) return { status: 404, body: { error: "No such server is started." } };
      if (begun.waitS(name, 1) > 0)
        return { status: 429, body: { error: "It was reconnected a moment ago. Wait a few seconds." } };
      begun.add(name);
      await audit({ by, act: "mcp.reconnected", about: name });
      await Promise.all([cluster.publish("servers", name), connection.reconnect()]);
      return { status: 200, body: hideIn({ server: shown().find((server) => server.name === name) }) };
    }),
  ];
}

/** The servers as the page shows them. */
export function shownServers({ describe, idle }: Pick<McpConnections, "describe" | "idle">): readonly TeamServer[] {
  return [...describe().map(shownServer), ...idle.map(idleServer)];
}

function shownServer({ name, location, state, tools, leftOut, problem, signIn }: McpServerView): TeamServer {
  return {
    name,
    state: state.type,
    since: "since" in state ? state.since : null,
    problem,
    signIn,
    where: location,
    tools: tools.map(({ name: called, tool, permission }) => ({
      name: called,
      tool,
      kind: isHarmless(permission) ? "reads" : "sends",
    })),
    leftOut: leftOut.map(({ tool, why }) => ({ tool: foreignLine(tool, NAME_CHARS), why })),
  };
}

function idleServer({ name, why }: McpConnections["idle"][number]): TeamServer {
  return { name, state: "off", since: null, problem: why, signIn: null, where: "", tools: [], leftOut: [] };
}
