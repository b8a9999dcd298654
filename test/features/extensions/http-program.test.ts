import { text as bodyOf } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { exceptPublic, PUBLIC, type Site, startSite } from "../../tools/network/fetch-session.ts";
import { type ExtensionSession, extensionSession, useExtensionSandbox } from "./extension-session.ts";
import { webFetchProgram } from "./toolchains/components.ts";

const place = useExtensionSandbox({
  network: { isForbiddenAddress: exceptPublic, resolve: () => Promise.resolve([PUBLIC]) },
});
let component: Uint8Array = new Uint8Array();

beforeAll(async () => {
  component = await webFetchProgram();
});

/** A session with the program as the tool `fetch`, which may reach these hosts. */
function fetching(hosts: readonly string[]): ExtensionSession {
  const session = extensionSession(place);
  const manifest = { permission: "none", hosts, arguments: ["{host}", "{path}", "{body}"], input: { type: "object" } };
  session.add("fetch", manifest, component);
  return session;
}

interface Asked {
  readonly host: string;
  readonly path?: string;
  readonly body?: string;
}

async function ask(session: ExtensionSession, { host, path = "/", body = "" }: Asked, context = {}): Promise<string> {
  return textOf((await session.run("fetch", { host, path, body }, context)).content);
}

/** A site that answers with the request; /away leads to another host. */
function startEcho(): Promise<Site> {
  return startSite((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: "http://other.example/" }).end("moved");
    else if (request.url === "/large") response.end(Buffer.alloc(5_000_000));
    else {
      bodyOf(request).then(
        (body) => response.end(`${request.method} ${request.url} ${body}`),
        () => response.destroy(),
      );
    }
  });
}

test("a program can reach the hosts of its tool.json by wasi:http, with request bodies", async () => {
  const site = await startEcho();
  const session = fetching([`page.example:${site.port}`]);
  const host = `page.example:${site.port}`;
  expect(await ask(session, { host, path: "/items?a=b" })).toBe("200 GET /items?a=b");
  expect(await ask(session, { host, body: "hello" })).toBe("200 POST / hello");
  expect(site.requests[0]?.headers).toMatchObject({ host, "user-agent": "Deckhand (program)" });
});

test("a redirect is returned to the program instead of followed", async () => {
  const site = await startEcho();
  const host = `page.example:${site.port}`;
  expect(await ask(fetching([host]), { host, path: "/away" })).toBe("302 moved");
});

/** The number of `HTTP-request-denied`. */
const DENIED = "error 015";

test.each([
  { name: "another host than tool.json names", hosts: (own: string) => [own], path: "/", at: "other.example" },
  { name: "any host when tool.json names none", hosts: () => [], path: "/", at: "page.example" },
  { name: "a blocked URL", hosts: (own: string) => [own], path: "/blocked/x", at: "page.example" },
])("a program's request is refused with $name, and the model is told why", async ({ hosts, path, at }) => {
  const site = await startEcho();
  const context = { allowedHosts: ["*", `*:${site.port}`], blockedUrls: ["page.example/blocked"], approved: true };
  const session = fetching(hosts(`page.example:${site.port}`));
  const said = await ask(session, { host: `${at}:${site.port}`, path }, context);
  expect(said).toContain(DENIED);
  expect(said).toMatch(/not among the hosts of this call|There is no network access here|on the list of blocked URLs/);
  expect(site.requests).toEqual([]);
});

test("private addresses are refused to wasi:http even if tool.json names one", async () => {
  const site = await startSite((_, response) => response.end("secret"), "127.0.0.2");
  const host = `127.0.0.2:${site.port}`;
  const said = await ask(fetching([host]), { host });
  expect(said).toContain(DENIED);
  expect(said).toContain("127.0.0.2 is not a public address");
  expect(site.requests).toEqual([]);
});

test("request and response bodies are limited, and the error code names the cause", async () => {
  const site = await startEcho();
  const host = `page.example:${site.port}`;
  const session = fetching([host]);
  expect(await ask(session, { host, path: "/large" })).toContain("is larger than 4194304 bytes");
  expect(await ask(session, { host, body: "x".repeat(800_000) })).toContain("write failed");
  expect(site.requests.map(({ url }) => url)).toEqual(["/large"]);
});
