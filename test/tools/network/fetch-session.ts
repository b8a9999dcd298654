import { once } from "node:events";
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { onTestFinished } from "vitest";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import type { Tool, ToolContext } from "../../../src/core/tool.ts";
import { isForbiddenAddress } from "../../../src/tools/network/addresses.ts";
import type { NetworkOptions } from "../../../src/tools/network/exchange.ts";
import type { FetchLimits } from "../../../src/tools/network/limits.ts";
import type { Sandbox } from "../../../src/tools/wasm/sandbox.ts";
import { createWebFetch } from "../../../src/tools/web/web-fetch.ts";
import { fileSession } from "../file-session.ts";

/** Stands in for a public address, at which test sites listen; the rest of 127.0.0.0/8 stays forbidden. */
export const PUBLIC = "127.0.0.3";

export const exceptPublic = (address: string): boolean => address !== PUBLIC && isForbiddenAddress(address);

export interface FetchSession {
  readonly tool: Tool;
  fetch(
    url: string,
    more?: { readonly offset?: number; readonly show?: boolean; readonly signal?: AbortSignal },
  ): Promise<ToolResult>;
}

export interface FetchSessionOptions extends Partial<NetworkOptions<FetchLimits>> {
  readonly context?: Partial<ToolContext>;
  /** Sites whose ports are allowed on every host. */
  readonly sites?: readonly Pick<Site, "port">[];
}

/** web_fetch for a session that may reach every public host unless `context` says otherwise. */
export function fetchSession(
  sandbox: Sandbox,
  { context, sites = [], ...options }: FetchSessionOptions = {},
): FetchSession {
  const allowedHosts = ["*", ...sites.map(({ port }) => `*:${port}`)];
  const tool = createWebFetch(sandbox, {
    isForbiddenAddress: exceptPublic,
    resolve: () => Promise.resolve([PUBLIC]),
    ...options,
  });
  const session = fileSession(sandbox, { context: { allowedHosts, ...context } });
  return {
    tool,
    fetch: (url, { signal = new AbortController().signal, ...more } = {}) =>
      tool.execute({ url, ...more }, session.context, signal),
  };
}

export interface Site {
  readonly port: number;
  /** `http://page.example:<port>` */
  at(host: string, path?: string): string;
  readonly requests: readonly Pick<IncomingMessage, "url" | "headers">[];
}

/** An HTTP server for one test. */
export async function startSite(listener: RequestListener, address = PUBLIC, port = 0): Promise<Site> {
  const requests: Pick<IncomingMessage, "url" | "headers">[] = [];
  const server = createServer((request, response) => {
    requests.push({ url: request.url, headers: request.headers });
    listener(request, response);
  });
  return { ...(await listening(server, address, port)), requests };
}

export async function listening(server: Server, address: string, port: number): Promise<Omit<Site, "requests">> {
  server.listen(port, address);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const bound = server.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return { port: bound.port, at: (host, path = "/") => `http://${host}:${bound.port}${path}` };
}
