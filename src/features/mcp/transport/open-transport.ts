import { SdkHttpError, SSEClientTransport, SseError, type Transport } from "@modelcontextprotocol/client";
import type { McpServer } from "../server-settings.ts";
import { boundedFetch, boundedStreamFetch } from "./bounded-fetch.ts";
import { HttpTransport } from "./http-transport.ts";
import { type ProcessScope, StdioTransport } from "./stdio-transport.ts";

/** `events` is the transport over server-sent events of revision 2024-11-05. */
export type Way = "program" | "http" | "events";

/** Ways to speak to the server, likeliest first: an address does not tell, and the settings may be outdated. */
export function waysTo(settings: McpServer): readonly Way[] {
  if ("command" in settings) return ["program"];
  return settings.type === "sse" ? ["events", "http"] : ["http", "events"];
}

export function openTransport(way: Way, settings: McpServer, scope: ProcessScope): Transport {
  if ("command" in settings) return new StdioTransport(settings, scope);
  const url = new URL(settings.url);
  const requestInit = { headers: settings.headers ?? {} };
  return way === "events"
    ? new SSEClientTransport(url, { requestInit, fetch: boundedStreamFetch })
    : new HttpTransport(url, { requestInit, fetch: boundedFetch });
}

/** Statuses of a server that does not speak this way: no such method, no such path, or not an event stream. */
const OTHER_WAY = [400, 404, 405, 406, 410, 415, 501];

export function speaksOtherwise(error: unknown): boolean {
  if (error instanceof SdkHttpError) return OTHER_WAY.includes(error.status);
  return (
    error instanceof SseError && (error.code === undefined || error.code === 200 || OTHER_WAY.includes(error.code))
  );
}
