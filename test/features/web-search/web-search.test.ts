import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import { text as bodyText } from "node:stream/consumers";
import { gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { createWebSearch, type WebSearchSettings } from "../../../src/features/web-search/web-search.ts";
import { createSandbox } from "../../../src/tools/wasm/sandbox.ts";
import { SANDBOX_CHILD } from "../../support/program/built.ts";
import { fileSession, text } from "../../tools/file-session.ts";

/** Never started: searches need no guest. */
const sandbox = createSandbox(SANDBOX_CHILD);

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

interface Asked {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A search service for one test. */
async function startService(listener: RequestListener): Promise<{ baseUrl: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url, headers } = request;
    asked.push({ method, url, headers, body: await bodyText(request) });
    listener(request, response);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch((error: unknown) =>
      response.destroy(new Error("a test's server", { cause: error })),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { baseUrl: `http://127.0.0.1:${address.port}/api`, asked };
}

function search(settings: WebSearchSettings, input: object, blockedUrls: string[] = []) {
  const { context } = fileSession(sandbox, { context: { blockedUrls } });
  return createWebSearch(settings).execute(input, context, new AbortController().signal);
}

const json: (value: unknown) => RequestListener = (value) => (_, response) =>
  response.setHeader("content-type", "application/json").end(JSON.stringify(value));

const one = { title: "Ports", url: "https://a.example/ports" };
const two = { title: "  Hosts\n and ports ", url: "https://b.example/?x=1" };

const services = [
  {
    service: "brave" as const,
    answers: {
      web: {
        results: [
          { ...one, description: "About ports" },
          { ...two, description: null },
        ],
      },
    },
    asks: {
      method: "GET",
      url: "/api/web/search?q=ports+%26+hosts&count=5&text_decorations=false",
      headers: { "x-subscription-token": "k3y" },
      body: "",
    },
  },
  {
    service: "tavily" as const,
    answers: { query: "x", results: [{ ...one, content: "About ports", score: 0.9 }, two] },
    asks: {
      method: "POST",
      url: "/api/search",
      headers: { authorization: "Bearer k3y", "content-type": "application/json" },
      body: '{"query":"ports & hosts","max_results":5}',
    },
  },
  {
    service: "searxng" as const,
    answers: {
      results: [
        { ...one, content: "About ports", engine: "x" },
        { ...two, content: "" },
      ],
    },
    asks: { method: "GET", url: "/api/search?q=ports+%26+hosts&format=json", body: "" },
  },
];

test.each(services)(
  "$service is requested by its own API, and its results have the common format",
  async ({ service, answers, asks }) => {
    const { baseUrl, asked } = await startService(json(answers));
    const result = await search(
      { service, apiKey: "k3y", baseUrl: `${baseUrl}/` },
      { query: " ports & hosts ", count: 5 },
    );
    expect(text(result)).toBe(
      "1. Ports\nhttps://a.example/ports\nAbout ports\n\n2. Hosts and ports\nhttps://b.example/?x=1",
    );
    expect(result).toMatchObject({ isError: false, summary: "2 results" });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject(asks);
  },
);

test("searxng is sent no key", async () => {
  const { baseUrl, asked } = await startService(json({ results: [] }));
  const result = await search({ service: "searxng", baseUrl }, { query: "x" });
  expect(text(result)).toContain("No results");
  expect(JSON.stringify(asked[0]?.headers)).not.toContain("authorization");
});

test("results are limited to the requested number, without duplicates, blocked sites and invalid addresses", async () => {
  const hit = (url: string | null) => ({ title: url, url, content: "" });
  const urls = [
    "https://a.example/1",
    "https://a.example/1",
    "https://blocked.example/x",
    "javascript:alert(1)",
    "nonsense",
    null,
    "https://a.example/2",
    "https://a.example/3",
  ];
  const { baseUrl } = await startService(json({ results: urls.map(hit) }));
  const result = await search({ service: "searxng", baseUrl }, { query: "x", count: 2 }, ["blocked.example"]);
  expect(text(result).match(/^https.*$/gm)).toEqual(["https://a.example/1", "https://a.example/2"]);
});

test("long texts are shortened to one line each", async () => {
  const { baseUrl } = await startService(
    json({ results: [{ title: "t".repeat(1_000), url: "https://a.example/", content: "word\n".repeat(1_000) }] }),
  );
  const lines = text(await search({ service: "searxng", baseUrl }, { query: "x" })).split("\n");
  expect(lines.map((line) => line.length)).toEqual([203, 18, 500]);
});

const status = (code: number, headers: Record<string, string> = {}): RequestListener => {
  return (_, response) => response.writeHead(code, headers).end();
};
interface Failure {
  readonly name: string;
  readonly service: "brave" | "searxng";
  readonly listener: RequestListener;
  readonly says: string;
  readonly timeoutMs?: number;
}
const failures: Failure[] = [
  { name: "a wrong key", service: "brave", listener: status(401), says: "does not accept the key" },
  { name: "JSON turned off", service: "searxng", listener: status(403), says: "search.formats" },
  {
    name: "too many searches",
    service: "brave",
    listener: status(429, { "retry-after": "9" }),
    says: "again after 9 s",
  },
  { name: "a used-up account", service: "brave", listener: status(402), says: "has reached its limit" },
  { name: "a failure", service: "brave", listener: status(500), says: "failed (HTTP 500)" },
  { name: "a redirect", service: "brave", listener: status(302, { location: "/other" }), says: "cannot be reached" },
  { name: "no JSON", service: "brave", listener: (_, response) => response.end("<html>"), says: "not JSON" },
  { name: "another form", service: "searxng", listener: json({ items: [] }), says: "unknown form" },
  {
    name: "a lost connection",
    service: "brave",
    listener: ({ socket }) => socket.destroy(),
    says: "cannot be reached",
  },
  { name: "silence", service: "brave", listener: () => {}, says: "did not answer in time", timeoutMs: 300 },
  {
    name: "a bomb",
    service: "brave",
    listener: (_, response) => response.setHeader("content-encoding", "gzip").end(gzipSync(Buffer.alloc(50_000_000))),
    says: "too large",
  },
];

test.each(failures)(
  "the failure $name is reported to the model",
  async ({ service, listener, says, timeoutMs = 15_000 }) => {
    const { baseUrl, asked } = await startService(listener);
    const result = await search({ service, apiKey: "k", baseUrl, timeoutMs }, { query: "x" });
    expect(result.isError).toBe(true);
    expect(text(result)).toContain(says);
    expect(asked).toHaveLength(1);
  },
);

test("a stop aborts the search", async () => {
  const stop = new AbortController();
  const { baseUrl } = await startService(() => stop.abort(new Error("stopped by a person")));
  const { context } = fileSession(sandbox);
  const searching = createWebSearch({ service: "searxng", baseUrl }).execute({ query: "x" }, context, stop.signal);
  await expect(searching).rejects.toThrow("stopped by a person");
});

test.each([
  { settings: { service: "searxng" as const }, says: "webSearch.baseUrl" },
  { settings: { service: "brave" as const }, says: "webSearch.apiKey" },
  { settings: { service: "tavily" as const }, says: "webSearch.apiKey" },
])(
  "$settings.service without its required setting is refused as a configuration error: $says",
  ({ settings, says }) => {
    expect(() => createWebSearch(settings)).toThrow(says);
  },
);
