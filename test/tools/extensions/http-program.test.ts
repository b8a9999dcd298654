import { readFileSync } from "node:fs";
import { text as bodyOf } from "node:stream/consumers";
import { componentEmbed, componentNew, parse } from "@bytecodealliance/jco";
import { beforeAll, expect, test } from "vitest";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { exceptPublic, PUBLIC, type Site, startSite } from "../network/fetch-session.ts";
import { type ExtensionSession, extensionSession, fixture, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox({ isForbiddenAddress: exceptPublic, resolve: () => Promise.resolve([PUBLIC]) });
let component: Uint8Array = new Uint8Array();

/** The published interfaces, as jco has them: packages that one source may hold side by side. */
function published(name: string): string {
  const file = new URL(`../lib/wit/builtin/0.2.12/${name}/package.wit`, import.meta.resolve("@bytecodealliance/jco"));
  return `${readFileSync(file, "utf8").replace(/^(package [^;]+);/m, "$1 {")}\n}`;
}

beforeAll(async () => {
  const packages = ["io", "clocks", "random", "filesystem", "sockets", "cli", "http"].map((name) =>
    published(`wasi-${name}`),
  );
  const witSource = `package test:programs;
    world program {
      import wasi:http/outgoing-handler@0.2.12;
      import wasi:cli/environment@0.2.12;
      import wasi:cli/stdout@0.2.12;
      export wasi:cli/run@0.2.12;
    }
    ${packages.join("\n")}`;
  const binary = await parse(Buffer.from(fixture("web-fetch.wat")).toString("utf8"));
  component = await componentNew(await componentEmbed({ binary, witSource, world: "program" }), []);
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

test("a program reaches the hosts of its tool.json by wasi:http, and sends a body", async () => {
  const site = await startEcho();
  const session = fetching([`page.example:${site.port}`]);
  const host = `page.example:${site.port}`;
  expect(await ask(session, { host, path: "/items?a=b" })).toBe("200 GET /items?a=b");
  expect(await ask(session, { host, body: "hello" })).toBe("200 POST / hello");
  expect(site.requests[0]?.headers).toMatchObject({ host, "user-agent": "Deckhand (program)" });
});

test("a redirect is the program's own business", async () => {
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
])("a program is denied $name, and the model reads why", async ({ hosts, path, at }) => {
  const site = await startEcho();
  const context = { allowedHosts: ["*", `*:${site.port}`], blockedUrls: ["page.example/blocked"], approved: true };
  const session = fetching(hosts(`page.example:${site.port}`));
  const said = await ask(session, { host: `${at}:${site.port}`, path }, context);
  expect(said).toContain(DENIED);
  expect(said).toMatch(/not among the hosts of this call|There is no network here|on the list of blocked URLs/);
  expect(site.requests).toEqual([]);
});

test("private addresses stay closed to wasi:http, though tool.json names one", async () => {
  const site = await startSite((_, response) => response.end("secret"), "127.0.0.2");
  const host = `127.0.0.2:${site.port}`;
  const said = await ask(fetching([host]), { host });
  expect(said).toContain(DENIED);
  expect(said).toContain("127.0.0.2 is not a public address");
  expect(site.requests).toEqual([]);
});

test("bodies are bounded in both directions, and what failed is said in the error code", async () => {
  const site = await startEcho();
  const host = `page.example:${site.port}`;
  const session = fetching([host]);
  expect(await ask(session, { host, path: "/large" })).toContain("is larger than 4194304 bytes");
  expect(await ask(session, { host, body: "x".repeat(800_000) })).toContain("write failed");
  expect(site.requests.map(({ url }) => url)).toEqual(["/large"]);
});
