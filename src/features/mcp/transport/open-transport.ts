import { SdkHttpError, SSEClientTransport, SseError, type Transport } from "@modelcontextprotocol/client";
import type { McpServer } from "../server-settings.ts";
import { boundedFetch, boundedStreamFetch } from "./bounded-fetch.ts";
import { HttpTransport } from "./http-transport.ts";
import { type ProcessScope, StdioTransport } from "./stdio-transport.ts";

/** `events`: server-sent events, as the revision 2024-11-05 has it. */
export type Way = "program" | "http" | "events";

/** How the server may be spoken to, the likeliest first: an address does not tell, and what is written of it may be old. */
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

/** What a server answers that does not speak so: no such method, no such place, or something that is no event stream. */
const OTHER_WAY = [400, 404, 405, 406, 410, 415, 501];

export function speaksOtherwise(error: unknown): boolean {
  if (error instanceof SdkHttpError) return OTHER_WAY.includes(error.status);
  return (
    error instanceof SseError && (error.code === undefined || error.code === 200 || OTHER_WAY.includes(error.code))
  );
}
