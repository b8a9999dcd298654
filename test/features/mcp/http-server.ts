import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { z } from "zod";

const requestSchema = z.object({ id: z.number().optional(), method: z.string() });

export interface Seen {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
}

export interface PlainServer {
  readonly url: string;
  /** Every request's JSON-RPC method and headers. */
  readonly seen: readonly Seen[];
}

export type Answer = (response: ServerResponse, id: number) => void;

/** A server over streamable HTTP, written without an SDK, whose one tool is answered by `onCall`. */
export function httpServer(
  onCall: Answer,
  onPing: Answer = alive,
  onCancelled: (response: ServerResponse) => void = (response) => response.writeHead(202).end(),
): Promise<PlainServer> {
  return serve({ onCall, onPing, onCancelled, tools: [{ name: "go" }] });
}

/** One that has these tools, and answers none of them. */
export async function serverWith(tools: readonly ListedTool[]): Promise<PlainServer> {
  const refuse = (response: ServerResponse) => void response.writeHead(500).end();
  return serve({ onCall: refuse, onPing: alive, onCancelled: refuse, tools });
}

/** A tool as a server lists it, but for its schema, which says nothing. */
interface ListedTool {
  readonly name: string;
  readonly annotations?: object;
}

interface Behaviour {
  readonly onCall: Answer;
  readonly onPing: Answer;
  readonly onCancelled: (response: ServerResponse) => void;
  readonly tools: readonly ListedTool[];
}

async function serve({ onCall, onPing, onCancelled, tools }: Behaviour): Promise<PlainServer> {
  const seen: Seen[] = [];
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "plain", version: "1" },
    },
    "tools/list": { tools: tools.map((tool) => ({ ...tool, inputSchema: { type: "object" } })) },
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method } = requestSchema.parse(await json(request));
    seen.push({ method, headers: request.headers });
    if (method === "notifications/cancelled") return onCancelled(response);
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/call") return onCall(response, id);
    if (method === "ping") return onPing(response, id);
    return sendResult(response, id, results[method] ?? {});
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return { url: `http://127.0.0.1:${port}/mcp`, seen };
}

export function alive(response: ServerResponse, id: number): void {
  sendResult(response, id, {});
}

export function sendResult(response: ServerResponse, id: number, result: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

export function sendError(response: ServerResponse, id: number): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, message: "Method not found" } }));
}
