import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { z } from "zod";

/** Stands for the method of an answer to the server's own request. */
const ANSWER = "an answer";

const requestSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().default(ANSWER),
  params: z.looseObject({}).optional(),
});
type Id = number | string;

export interface Seen extends Pick<z.infer<typeof requestSchema>, "params"> {
  readonly method: string;
  readonly headers: IncomingMessage["headers"];
}

export interface PlainServer {
  readonly url: string;
  /** Every request's JSON-RPC method and headers. */
  readonly seen: readonly Seen[];
}

export type Answer = (response: ServerResponse, id: Id) => void;

/** A server over streamable HTTP, written without an SDK, whose one tool is answered by `onCall`. */
export function httpServer(
  onCall: Answer,
  onPing: Answer = alive,
  onCancelled: (response: ServerResponse) => void = (response) => response.writeHead(202).end(),
): Promise<PlainServer> {
  return serve({ onCall, onPing, onCancelled, tools: [{ name: "go" }] });
}

/** A server on this port that answers no calls. */
export function silentServer(port: number): Promise<PlainServer> {
  const takes = (response: ServerResponse) => void response.writeHead(202).end();
  return serve({ onCall: () => {}, onPing: alive, onCancelled: takes, tools: [{ name: "go" }], port });
}

/** A server of the revision without handshake, whose one tool has an argument that is also sent in a header. */
export function modernServer(onCall: (seen: Seen) => object): Promise<PlainServer> {
  const region = { type: "string", "x-mcp-header": "Region" };
  const complete = (result: object) => ({ resultType: "complete", ttlMs: 0, cacheScope: "private", ...result });
  return serve({
    onCall: (response, id, seen) => sendResult(response, id, complete(onCall(seen))),
    onPing: sendError,
    onCancelled: (response) => response.writeHead(202).end(),
    tools: [{ name: "go", inputSchema: { type: "object", properties: { region } } }],
    modern: complete,
  });
}

/** A server that answers the handshake of any protocol version by `onGreeting`. */
export function greetingServer(
  onGreeting: (response: ServerResponse, id: Id, version: string) => void,
): Promise<PlainServer> {
  const onCancelled = (response: ServerResponse) => void response.writeHead(202).end();
  return serve({ onCall: done, onPing: alive, onCancelled, tools: [{ name: "go" }], onGreeting });
}

/** A server's result of the handshake. */
export function greeting(protocolVersion: string): object {
  return { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "plain", version: "1" } };
}

/** A server that lists these tools and answers no calls. */
export async function serverWith(tools: readonly ListedTool[]): Promise<PlainServer> {
  const refuse = (response: ServerResponse) => void response.writeHead(500).end();
  return serve({ onCall: refuse, onPing: alive, onCancelled: refuse, tools });
}

/** Answers a request itself, and returns true, or lets it pass. */
export type Guard = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

export const done: Answer = (response, id) => sendResult(response, id, { content: [{ type: "text", text: "done" }] });

/** A server with one tool, `go`, behind a guard. */
export function serverBehind(guard: Guard, onCall: Answer = done): Promise<PlainServer> {
  const onCancelled = (response: ServerResponse) => void response.writeHead(202).end();
  return serve({ onCall, onPing: alive, onCancelled, tools: [{ name: "go" }], guard });
}

/** A tool as a server lists it; the schema accepts any object by default. */
interface ListedTool {
  readonly name: string;
  readonly annotations?: object;
  readonly inputSchema?: object;
}

interface Behaviour {
  readonly onCall: (response: ServerResponse, id: Id, seen: Seen) => void;
  readonly onPing: Answer;
  readonly onCancelled: (response: ServerResponse) => void;
  readonly tools: readonly ListedTool[];
  readonly guard?: Guard;
  /** Any free port if absent. */
  readonly port?: number;
  readonly onGreeting?: (response: ServerResponse, id: Id, version: string) => void;
  /** Wraps results in the revision without handshake; absent on servers of older revisions. */
  readonly modern?: (result: object) => object;
}

async function serve({
  onCall,
  onPing,
  onCancelled,
  tools,
  port: wanted = 0,
  onGreeting,
  modern,
  guard = () => Promise.resolve(false),
}: Behaviour): Promise<PlainServer> {
  const seen: Seen[] = [];
  const about = greeting("2025-06-18");
  const listed = { tools: tools.map((tool) => ({ inputSchema: { type: "object" }, ...tool })) };
  const results: Readonly<Record<string, object>> =
    modern === undefined
      ? { initialize: about, "tools/list": listed }
      : {
          "server/discover": modern({ supportedVersions: ["2026-07-28"], ...about }),
          "tools/list": modern(listed),
        };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    if (await guard(request, response)) return undefined;
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = requestSchema.parse(await json(request));
    const one = { method, headers: request.headers, params };
    seen.push(one);
    if (method === ANSWER) return undefined; // it is left waiting
    if (method === "notifications/cancelled") return onCancelled(response);
    if (id === undefined) return response.writeHead(202).end();
    if (method === "tools/call") return onCall(response, id, one);
    if (method === "ping") return onPing(response, id);
    if (method === "initialize" && onGreeting !== undefined)
      return onGreeting(response, id, String(params?.["protocolVersion"]));
    const result = results[method];
    return result === undefined ? sendError(response, id) : sendResult(response, id, result);
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(wanted, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = z.object({ port: z.number() }).parse(server.address());
  return { url: `http://127.0.0.1:${port}/mcp`, seen };
}

export function alive(response: ServerResponse, id: Id): void {
  sendResult(response, id, {});
}

export function sendResult(response: ServerResponse, id: Id, result: object): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
}

export function sendError(response: ServerResponse, id: Id, error: object = { message: "Method not found" }): void {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32_601, ...error } }));
}
