import { SdkHttpError, SSEClientTransport, SseError, type Transport } from "@modelcontextprotocol/client";
import type { McpServer } from "../server-settings.ts";
import type { Access } from "../sign-in/access.ts";
import { authorizedFetch } from "../sign-in/authorized-fetch.ts";
import { boundedFetch, boundedStreamFetch } from "./bounded-fetch.ts";
import { HttpTransport } from "./http-transport.ts";
import { type ProcessScope, StdioTransport } from "./stdio-transport.ts";

/** The transports of MCP; `events` is the one over server-sent events of revision 2024-11-05. */
export type TransportKind = "program" | "http" | "events";

/** The transports to try, likeliest first: an address does not say which one is spoken, and settings may be outdated. */
export function transportsFor(settings: McpServer): readonly TransportKind[] {
  if ("command" in settings) return ["program"];
  return settings.type === "sse" ? ["events", "http"] : ["http", "events"];
}

export interface TransportScope extends ProcessScope {
  /** The access of the account that signed in; null for a program, and for a server with a credential of its own. */
  readonly access: Access | null;
}

export function openTransport(kind: TransportKind, settings: McpServer, scope: TransportScope): Transport {
  if ("command" in settings) return new StdioTransport(settings, scope);
  const url = new URL(settings.url);
  const requestInit = { headers: settings.headers ?? {} };
  return kind === "events"
    ? new SSEClientTransport(url, { requestInit, fetch: authorizedFetch(boundedStreamFetch, scope.access, url) })
    : new HttpTransport(url, { requestInit, fetch: authorizedFetch(boundedFetch, scope.access, url) });
}

/** Statuses of a server that does not speak this transport: no such method, no such path, or not an event stream. */
const WRONG_TRANSPORT_STATUSES = [400, 404, 405, 406, 410, 415, 501];

export function isWrongTransport(error: unknown): boolean {
  if (error instanceof SdkHttpError) return WRONG_TRANSPORT_STATUSES.includes(error.status);
  return (
    error instanceof SseError &&
    (error.code === undefined || error.code === 200 || WRONG_TRANSPORT_STATUSES.includes(error.code))
  );
}
