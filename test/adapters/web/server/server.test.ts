import { once } from "node:events";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { type WebPlatform, webLink } from "../../../../src/adapters/web/adapter.ts";
import { WEB_LIMITS } from "../../../../src/adapters/web/limits.ts";
import { entryLink, entryLinks } from "../../../../src/adapters/web/server/entry-links.ts";
import { ConfigError } from "../../../../src/core/protocol/errors.ts";
import { MemoryThreadStore } from "../../../support/database/memory-thread-store.ts";
import { PageClient } from "../page-client.ts";
import { entryUrl, openPlatform, TOKEN } from "../web-setup.ts";

const accept = () => Promise.resolve({ type: "accepted" } as const);
const { signal } = new AbortController();

let platform: WebPlatform;
let port: number;
let cookie: string;

beforeEach(async () => {
  platform = openPlatform({ store: new MemoryThreadStore() });
  await platform.start(accept, signal);
  port = Number(new URL(entryUrl(platform)).port);
  cookie = `deckhand_${port}=${TOKEN}`;
});

afterEach(() => platform.stop());

function entryPath(): string {
  const { pathname, search } = new URL(entryUrl(platform));
  return `${pathname}${search}`;
}

interface Answer {
  readonly status: number;
  readonly headers: NodeJS.Dict<string | string[]>;
  readonly body: string;
}

/** Sends a request with exactly these headers: fetch does not allow setting Host. */
async function ask(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Answer> {
  const asked = request({ host: "127.0.0.1", port, path, method, headers: { host: `127.0.0.1:${port}`, ...headers } });
  asked.end();
  const [response] = await once(asked, "response");
  let body = "";
  for await (const chunk of response) body += String(chunk);
  return { status: response.statusCode, headers: response.headers, body };
}

/** Status that the server answers an upgrade with; 101 if it accepts the socket. */
async function upgrade(headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/live`, { headers });
  const status = await new Promise<number>((resolve) => {
    socket.on("open", () => resolve(101));
    socket.on("unexpected-response", (_request, response) => resolve(response.statusCode ?? 0));
  });
  socket.on("error", () => {});
  socket.terminate();
  return status;
}

test("a request that does not arrive whole is not waited for", async () => {
  const impatient = openPlatform({ store: new MemoryThreadStore(), arrivalMs: 100 });
  onTestFinished(() => impatient.stop());
  await impatient.start(accept, signal);
  const { host } = new URL(entryUrl(impatient));
  const at = Number(new URL(entryUrl(impatient)).port);
  const socket = connect(at, "127.0.0.1");
  const headers = [
    `host: ${host}`,
    `origin: http://${host}`,
    `cookie: deckhand_${at}=${TOKEN}`,
    "content-type: application/octet-stream",
    "content-length: 9",
  ];
  socket.write(`POST /files?name=a HTTP/1.1\r\n${headers.join("\r\n")}\r\n\r\nhalf`);
  let answer = "";
  for await (const part of socket) answer += String(part);
  expect(answer).toMatch(/^HTTP\/1\.1 408 /u);
});

test("an open page hears from the server before a proxy takes its socket for dead", async () => {
  const awake = openPlatform({ store: new MemoryThreadStore(), pingMs: 10 });
  onTestFinished(() => awake.stop());
  await awake.start(accept, signal);
  const page = await PageClient.open(entryUrl(awake));
  await page.pinged();
});

describe("the key", () => {
  test("the address printed at start sets a cookie out of scripts' reach and leads to the clean address", async () => {
    const answer = await ask(entryPath());
    expect(answer.status).toBe(303);
    expect(answer.headers["location"]).toBe("/");
    expect(String(answer.headers["set-cookie"])).toMatch(/^deckhand_\d+=[^;]+; HttpOnly; SameSite=Lax; Path=\//u);
    const page = await ask("/", { cookie });
    expect(page.status).toBe(200);
    expect(page.body).toContain("/page.js");
  });

  test("it lets one browser in, once; who is in stays in", async () => {
    const link = entryPath();
    expect((await ask(link)).status).toBe(303);
    expect((await ask(link)).status).toBe(401);
    expect((await ask(link, { cookie })).status).toBe(303);
    expect((await ask(entryPath())).status).toBe(303);
  });

  test.each([
    ["the lasting token itself", () => TOKEN],
    ["a link of another token", () => entryLink("another-token-0123456789", Date.now())],
    ["a link from before the process", () => entryLink(TOKEN, Date.now() - 60_000)],
    ["a link from the future", () => entryLink(TOKEN, Date.now() + 60_000)],
    ["a link with another time", () => entryLink(TOKEN, Date.now()).replace(/^\w+/u, (Date.now() + 5).toString(36))],
  ])("%s lets nobody in", async (_case, link) => {
    expect((await ask(`/?token=${link()}`)).status).toBe(401);
  });

  test("it lasts ten minutes", () => {
    let now = 1_000_000_000_000;
    const links = entryLinks(TOKEN, () => now);
    const [used, kept, late] = [entryLink(TOKEN, now), entryLink(TOKEN, now), entryLink(TOKEN, now)];
    expect(links.use(used)).toBe(true);
    now += 599_000;
    expect([links.use(kept), links.use(used)]).toEqual([true, false]);
    now += 2_000;
    expect([links.use(late), links.use(used)]).toEqual([false, false]);
  });

  test.each([
    ["no cookie", {}],
    ["a wrong cookie", { cookie: "deckhand_PORT=wrong" }],
    ["the cookie of another instance", { cookie: `deckhand_1=${TOKEN}` }],
    ["an empty cookie", { cookie: "deckhand_PORT=" }],
  ])("with %s nothing but the probes is served", async (_case, headers: { cookie?: string }) => {
    const sent = headers.cookie === undefined ? {} : { cookie: headers.cookie.replace("PORT", String(port)) };
    for (const path of ["/", "/?token=wrong", "/page.js", "/session", "/files/x", "/nowhere"]) {
      expect((await ask(path, sent)).status, path).toBe(401);
    }
    const { body } = await ask("/", sent);
    expect(body).toContain("Open the address that Deckhand printed");
    expect(body).toContain("<code>deckhand web-link</code>");
    expect(await upgrade({ ...sent, origin: `http://127.0.0.1:${port}` })).toBe(401);
  });
});

describe("the probes", () => {
  test("they answer without a key, with their own status", async () => {
    expect(await ask("/healthz")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
    expect(await ask("/readyz")).toMatchObject({ status: 503, body: '{"slack":"connecting"}' });
    const metrics = await ask("/metrics");
    expect(metrics).toMatchObject({ status: 200, body: "deckhand_runs_total 3\n" });
    expect(metrics.headers["content-type"]).toContain("text/plain");
  });

  test("a process that stands by answers them, and its page says that it waits", async () => {
    const standby = openPlatform({ store: new MemoryThreadStore() });
    await standby.listen();
    const { origin, port: standbyPort } = new URL(entryUrl(standby));
    expect((await fetch(`${origin}/readyz`)).status).toBe(503);
    const page = await fetch(origin, { headers: { cookie: `deckhand_${standbyPort}=${TOKEN}` } });
    expect(page.status).toBe(503);
    expect(await page.text()).toContain("standing by");
    expect(standby.health().connected).toBe(false);
    await standby.start(accept, signal);
    expect((await fetch(origin, { headers: { cookie: `deckhand_${standbyPort}=${TOKEN}` } })).status).toBe(200);
    await standby.stop();
  });
});

describe("where a request comes from", () => {
  test.each(["//", "///?token=x", "/\\\\", "http://evil.example/"])(
    "a path of %s is refused like any other",
    async (path) => {
      expect((await ask(path)).status).toBe(401);
    },
  );

  test.each([
    ["127.0.0.1:PORT", 200],
    ["localhost:PORT", 200],
    ["LOCALHOST:PORT", 200],
    ["[::1]:PORT", 200],
    ["127.0.0.1", 421],
    ["127.0.0.1:1", 421],
    ["evil.example", 421],
    ["evil.example:PORT", 421],
    ["localhost.evil.example:PORT", 421],
    ["127.0.0.1.evil.example:PORT", 421],
    ["0.0.0.0:PORT", 421],
    ["192.168.1.7:PORT", 421],
    ["127.0.0.1:PORT@evil.example", 421],
  ])("Host %s is answered with %i", async (host, status) => {
    const headers = { host: host.replace("PORT", String(port)), cookie };
    expect((await ask("/", headers)).status).toBe(status);
    expect((await ask("/healthz", headers)).status).toBe(status);
  });

  test.each([
    ["the page itself", { origin: "http://127.0.0.1:PORT" }, 101],
    ["another site", { origin: "https://evil.example" }, 403],
    ["another local server's page", { origin: "http://127.0.0.1:5173" }, 403],
    ["the same name over TLS", { origin: "https://127.0.0.1:PORT" }, 403],
    ["a sandboxed frame", { origin: "null" }, 403],
    ["no page at all", {}, 403],
  ])("a socket from %s", async (_case, { origin }: { origin?: string }, status) => {
    const sent = origin === undefined ? {} : { origin: origin.replace("PORT", String(port)) };
    expect(await upgrade({ cookie, ...sent })).toBe(status);
  });

  test.each([
    ["another site", { origin: "https://evil.example" }],
    ["no page at all", {}],
  ])("an upload from %s is refused", async (_case, headers) => {
    const answer = await ask(
      "/files?name=a.txt",
      { cookie, "content-type": "application/octet-stream", ...headers },
      "POST",
    );
    expect(answer.status).toBe(403);
  });

  test.each(["cross-site", "same-site"])("another %s page may not load what ours loads", async (site) => {
    expect((await ask("/page.js", { cookie, "sec-fetch-site": site })).status).toBe(403);
    expect((await ask("/page.js", { cookie, "sec-fetch-site": "same-origin" })).status).toBe(200);
  });
});

describe("what the server says of itself", () => {
  test.each(["/", "/healthz", "/page.js", "/nowhere"])("%s carries the security headers", async (path) => {
    const { headers } = await ask(path, { cookie });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:/u);
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
  });

  test("the page refers to nothing elsewhere and has no inline script or style", async () => {
    const { body } = await ask("/", { cookie });
    expect(body).not.toMatch(/https?:|<style|style=|<script(?![^>]*\ssrc=)|\son\w+=/u);
  });

  test("unknown paths, methods and traversal end in a plain 4xx", async () => {
    const origin = { cookie, origin: `http://127.0.0.1:${port}` };
    expect((await ask("/nowhere", origin)).status).toBe(404);
    expect((await ask("/", origin, "DELETE")).status).toBe(404);
    expect((await ask("/../package.json", origin)).status).toBe(403);
    expect((await ask("/%2e%2e/%2e%2e/package.json", origin)).status).toBe(403);
    expect((await ask("/%zz", origin)).status).toBe(400);
  });

  test("it stops at once, also with a page open that no longer answers", async () => {
    const socket = connect(port, "127.0.0.1");
    const handshake = [
      "GET /live HTTP/1.1",
      `Host: 127.0.0.1:${port}`,
      `Origin: http://127.0.0.1:${port}`,
      `Cookie: ${cookie}`,
      "Connection: Upgrade",
      "Upgrade: websocket",
      "Sec-WebSocket-Version: 13",
      "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    ];
    socket.write(`${handshake.join("\r\n")}\r\n\r\n`);
    const [head] = await once(socket, "data");
    expect(String(head)).toContain("101 Switching Protocols");
    const startedAt = performance.now();
    await platform.stop();
    // Without ending the socket itself, the stop would wait thirty seconds for the other side.
    expect(performance.now() - startedAt).toBeLessThan(15_000);
    socket.destroy();
  });

  test("something that is no HTTP does not disturb it", async () => {
    const socket = connect(port, "127.0.0.1");
    socket.end("\u0016\u0003\u0001 not http\r\n\r\n");
    socket.resume();
    await once(socket, "close");
    expect((await ask("/healthz")).status).toBe(200);
  });
});

describe("files", () => {
  test("an upload is given back as a download, a picture is shown in the page, SVG and HTML never are", async () => {
    const page = await PageClient.open(entryUrl(platform));
    const types = ["text/plain", "image/png", "image/svg+xml", "text/html"] as const;
    const served = [];
    for (const type of types) {
      const file = await page.upload("näme (1).x", type, new TextEncoder().encode("<b>"));
      const response = await page.fetch(`/files/${file.id}`);
      expect(new TextDecoder().decode(await response.bytes())).toBe("<b>");
      expect(response.headers.get("content-disposition")).toContain("filename*=UTF-8''n%C3%A4me%20%281%29.x");
      expect(response.headers.get("content-security-policy")).toContain("sandbox");
      served.push(
        `${response.headers.get("content-type")} ${response.headers.get("content-disposition")?.split(";")[0]}`,
      );
    }
    const download = "application/octet-stream attachment";
    expect(served).toEqual([download, "image/png inline", download, download]);
  });

  test("one that is too large, nameless or of another content type is refused with a reason", async () => {
    const page = await PageClient.open(entryUrl(platform));
    const post = (query: string, body: Uint8Array<ArrayBuffer>, type = "application/octet-stream") =>
      page.fetch(`/files?${query}`, { method: "POST", body, headers: { "content-type": type } });
    expect((await post("name=a", new Uint8Array(WEB_LIMITS.attachmentBytes + 1))).status).toBe(413);
    expect((await post("", new Uint8Array(1))).status).toBe(400);
    expect((await post("name=a", new Uint8Array(1), "multipart/form-data")).status).toBe(415);
    expect((await page.fetch("/files/unknown")).status).toBe(404);
  });
});

describe("where it listens", () => {
  test("a port in use is told in one line", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await once(other, "listening");
    const address = other.address();
    const taken = typeof address === "object" ? (address?.port ?? 0) : 0;
    const second = openPlatform({ store: new MemoryThreadStore(), port: taken });
    await expect(second.start(accept, signal)).rejects.toThrow(
      new ConfigError([`Port ${taken} is in use. Set PORT to a free one.`]),
    );
    expect(second.health().connected).toBe(false);
    other.close();
  });

  test.each(["0.0.0.0", "::"])("at %s the printed address works, also on a machine without IPv6", (host) => {
    const link = new URL(webLink({ host, url: null, token: TOKEN }, 0, 3000));
    expect(link.host).toBe("127.0.0.1:3000");
  });

  test("a page that is not built is told in one line", async () => {
    const bare = openPlatform({ store: new MemoryThreadStore(), pageDirectory: "/nonexistent" });
    await expect(bare.start(accept, signal)).rejects.toThrow(/is not built/u);
  });
});
