import { once } from "node:events";
import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import type { ToolContext } from "../../src/core/tool.ts";
import type { Resolve } from "../../src/tools/network/resolve.ts";
import { type FileSession, fileSession, text, useSandbox } from "./file-session.ts";
import { startDns } from "./network/dns-server.ts";
import { exceptPublic, listening, PUBLIC, type Site, startSite } from "./network/fetch-session.ts";

/** Resolves names: to the public address by default. */
const names: { resolve: Resolve } = { resolve: () => Promise.resolve([PUBLIC]) };
const sandbox = useSandbox({ isForbiddenAddress: exceptPublic, resolve: (...asked) => names.resolve(...asked) });

function resolvingBy(resolve: Resolve): void {
  const before = names.resolve;
  names.resolve = resolve;
  onTestFinished(() => {
    names.resolve = before;
  });
}

/** Address of a service on the site's port that must never be reached. */
const PRIVATE = "127.0.0.2";

/** A session whose calls are approved, so that they may reach the hosts they name. */
const allowed = (context: Partial<ToolContext> = {}): FileSession =>
  fileSession(sandbox, { context: { approved: true, ...context } });

/** A site that answers with the request. */
function startEcho(): Promise<Site> {
  return startSite((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { method, url, headers } = request;
      response.setHeader("content-type", "application/json").setHeader("x-site", "a").setHeader("set-cookie", "s=1");
      response.statusCode = url === "/absent" ? 404 : 200;
      response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
    });
  });
}

const page = ({ port }: Site): string => `page.example:${port}`;

test("a program can fetch from the hosts that it names, with method, headers and body", async () => {
  const site = await startEcho();
  const code = `
    const answer = await fetch("${site.at("page.example", "/items?q=ä")}", {
      method: "post", headers: { "X-Own": "1", "content-type": "application/json" }, body: JSON.stringify({ a: "ä" }),
    });
    const { method, url, headers, body } = await answer.json();
    const both = await Promise.all([1, 2].map((n) => fetch("${site.at("page.example", "/n")}" + n)));
    const absent = await fetch("${site.at("page.example", "/absent")}");
    [answer.ok, answer.headers.get("X-Site"), answer.headers.has("set-cookie"), method, url, headers["x-own"],
      headers["content-type"], headers.cookie, body, absent.ok, absent.status, (await absent.text()).length > 0,
      both.map((each) => each.url.slice(-2))]`;
  const result = await allowed().run("js_exec", { code, hosts: [page(site)] });
  expect(text(result)).toBe(
    '=> [true, "a", false, "POST", "/items?q=%C3%A4", "1", "application/json", undefined, "{\\"a\\":\\"ä\\"}", false, 404, true, ["n1", "n2"]]',
  );
});

test("a binary response body is returned as bytes", async () => {
  const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255]);
  const site = await startSite((_, response) => response.end(bytes));
  const code = `fs.writeFileSync("a.png", await (await fetch("${site.at("page.example")}")).bytes());`;
  const session = allowed();
  expect((await session.run("js_exec", { code, hosts: [page(site)] })).isError).toBe(false);
  expect(session.bytes("a.png").equals(bytes)).toBe(true);
});

const fetching = (url: string, more = ""): string => `await (await fetch("${url}"${more})).text()`;

test("without hosts a program has no network, and the error says so", async () => {
  const site = await startEcho();
  const result = await allowed({ allowedHosts: [page(site)] }).run("js_exec", {
    code: fetching(site.at("page.example")),
  });
  expect(result.isError).toBe(true);
  expect(text(result)).toContain("TypeError: There is no network access here: a call reaches only the hosts");
  expect(site.requests).toEqual([]);
});

test("a program that fetches in a loop is throttled in its worker, and blocks nobody else", async () => {
  const code = `
    const says = [];
    for (let asked = 0; asked < 1000; asked++) await fetch("https://a.example/").catch((error) => says.push(error.message));
    [says.length, says.filter((text) => text.startsWith("There is no network access here")).length, says.at(-1)]`;
  expect(text(await allowed().run("js_exec", { code }))).toBe(
    '=> [1000, 100, "A call can make at most 100 requests, including redirects."]',
  );
});

const refused = [
  {
    name: "another host",
    code: ({ port }: Site) => fetching(`http://other.example:${port}/`),
    says: "is not among the hosts of this call",
  },
  { name: "another port", code: () => fetching("http://page.example/"), says: "page.example is not among the hosts" },
  {
    name: "the private address itself",
    code: ({ port }: Site) => fetching(`http://${PRIVATE}:${port}/`),
    says: "is not among the hosts",
  },
  { name: "a file", code: () => fetching("file:///etc/passwd"), says: "Only http and https URLs" },
  {
    name: "credentials in the URL",
    code: ({ port }: Site) => fetching(`http://u:p@page.example:${port}/`),
    says: "user name or password",
  },
  {
    name: "a header with credentials",
    code: (site: Site) => fetching(site.at("page.example"), ', { headers: { Authorization: "x" } }'),
    says: "requests carry no credentials",
  },
  {
    name: "another Host",
    code: (site: Site) => fetching(site.at("page.example"), ', { headers: [["Host", "x"]] }'),
    says: "The header host cannot be set",
  },
  {
    name: "headers without end",
    code: (site: Site) => fetching(site.at("page.example"), ', { headers: { a: "x".repeat(32768) } }'),
    says: "The headers of a request can have at most 32768 characters",
  },
  {
    name: "a second request within a header",
    code: (site: Site) => fetching(site.at("page.example"), ', { headers: { a: "b\\r\\n\\r\\nGET / HTTP/1.1" } }'),
    says: 'The header "a" is not valid',
  },
  {
    name: "CONNECT",
    code: (site: Site) => fetching(site.at("page.example"), ', { method: "CONNECT" }'),
    says: "method: must be one of GET",
  },
  {
    name: "a body of a GET",
    code: (site: Site) => fetching(site.at("page.example"), ', { body: "x" }'),
    says: "A GET request cannot have a body",
  },
  {
    name: "an option that fetch has not here",
    code: (site: Site) => fetching(site.at("page.example"), ', { redirect: "manual" }'),
    says: "not redirect",
  },
  {
    name: "a blocked URL",
    code: (site: Site) => fetching(site.at("page.example", "/%61dmin/x")),
    says: "on the list of blocked URLs",
  },
  {
    name: "a request that is too large",
    code: (site: Site) => fetching(site.at("page.example"), ', { method: "POST", body: "x".repeat(1048576) }'),
    says: "A request can have at most 1048576 characters",
  },
];

test.each(refused)("a program cannot send $name", async ({ code, says }) => {
  const site = await startEcho();
  const session = allowed({ blockedUrls: ["page.example/admin"] });
  const result = await session.run("js_exec", { code: code(site), hosts: [page(site)] });
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(says);
  expect(site.requests).toEqual([]);
});

/** A site whose first answer redirects, beside one on the private address. */
async function redirecting(to: (site: Site) => string, status = 302): Promise<{ site: Site; secret: Site }> {
  const site: Site = await startSite((request, response) => {
    if (request.url === "/") response.writeHead(status, { location: to(site) }).end();
    else response.end(`${request.method} ${request.url}`);
  });
  return { site, secret: await startSite((_, response) => response.end("secret"), PRIVATE, site.port) };
}

const astray = [
  {
    name: "a host that was not granted",
    to: ({ port }: Site) => `http://other.example:${port}/x`,
    says: "redirects to other.example",
  },
  { name: "a private address", to: ({ port }: Site) => `http://${PRIVATE}:${port}/x`, says: `redirects to ${PRIVATE}` },
  { name: "a blocked URL", to: (site: Site) => site.at("page.example", "/admin"), says: "on the list of blocked URLs" },
  { name: "a file", to: () => "file:///etc/passwd", says: "redirects to an address that cannot be fetched" },
];

test.each(astray)("a redirect to $name is not followed", async ({ to, says }) => {
  const { site, secret } = await redirecting(to);
  const session = allowed({ blockedUrls: ["page.example/admin"], allowedHosts: ["*", `*:${site.port}`] });
  const result = await session.run("js_exec", { code: fetching(site.at("page.example")), hosts: [page(site)] });
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(says);
  expect([site.requests.map(({ url }) => url), secret.requests]).toEqual([["/"], []]);
});

test.each([
  { status: 302, method: "POST", becomes: "GET" },
  { status: 303, method: "PUT", becomes: "GET" },
  { status: 302, method: "PUT", becomes: "PUT" },
  { status: 307, method: "POST", becomes: "POST" },
])("after a redirect with status $status the method $method becomes $becomes", async ({ status, method, becomes }) => {
  const { site } = await redirecting(() => "/next", status);
  const code = fetching(site.at("page.example"), `, { method: "${method}", body: "x" }`);
  const result = await allowed().run("js_exec", { code, hosts: [page(site)] });
  expect(text(result)).toBe(`=> ${becomes} /next`);
});

test("a name that resolves to a private address after its first response is refused (DNS rebinding)", async () => {
  const { site, secret } = await redirecting(() => "/next");
  const dns = await startDns({ "page.example": [[PUBLIC], [PRIVATE]] });
  resolvingBy(dns.resolve);
  const code = fetching(site.at("page.example"));
  const result = await allowed().run("js_exec", { code, hosts: [page(site)] });
  expect(text(result)).toContain("page.example is not a public address");
  expect([site.requests.map(({ url }) => url), secret.requests]).toEqual([["/"], []]);
});

const places = [
  { name: "a host on the list, in agi mode", mode: "agi", hosts: ["a.example"], rule: null },
  { name: "a host on the list, in write mode", mode: "write", hosts: ["A.example."], rule: null },
  {
    name: "hosts off the list, in write mode",
    mode: "write",
    hosts: ["c.example", "b.example:8443", "a.example"],
    rule: { type: "ask", always: false, why: "b.example:8443, c.example are not on the list of allowed hosts." },
  },
  {
    name: "a host off the list, in agi mode",
    mode: "agi",
    hosts: ["b.example"],
    rule: { type: "refuse", reason: expect.stringContaining("in mode agi nobody is asked") },
  },
  {
    name: "a host off the list, in read mode",
    mode: "read",
    hosts: ["b.example"],
    rule: { type: "refuse", reason: expect.stringContaining("in mode read nobody is asked") },
  },
  {
    name: "a private address",
    mode: "write",
    hosts: ["0x7f.1"],
    rule: { type: "refuse", reason: expect.stringContaining("not a public address") },
  },
  {
    name: "a blocked host",
    mode: "write",
    hosts: ["x.bad.example"],
    rule: { type: "refuse", reason: expect.stringContaining("list of blocked URLs") },
  },
  {
    name: "both default ports of a host that is listed with one, in agi mode",
    mode: "agi",
    hosts: ["tls.example"],
    rule: { type: "refuse", reason: expect.stringContaining("tls.example is not on the list") },
  },
  { name: "the listed port of that host", mode: "agi", hosts: ["tls.example:443"], rule: null },
  { name: "a default port of a listed host", mode: "agi", hosts: ["a.example:80", "a.example:443"], rule: null },
  {
    name: "another port of a listed host",
    mode: "agi",
    hosts: ["a.example:8443"],
    rule: { type: "refuse", reason: expect.stringContaining("a.example:8443 is not on the list") },
  },
  { name: "no hosts", mode: "agi", hosts: undefined, rule: null },
] as const;

test.each(places)("the permission rule for $name", ({ mode, hosts, rule }) => {
  const at = { mode, sandboxRoot: "/", allowedHosts: ["a.example", "tls.example:443"], blockedUrls: ["*.bad.example"] };
  expect(fileSession(sandbox).tool("js_exec").rule?.({ code: "1", hosts }, at)).toEqual(rule);
});

test("a call without approval reaches listed hosts only", async () => {
  const site = await startEcho();
  const call = { code: fetching(site.at("page.example")), hosts: [page(site)] };
  expect(text(await fileSession(sandbox).run("js_exec", call))).toContain("nobody has allowed this call");
  expect(site.requests).toEqual([]);
  const elsewhere = fileSession(sandbox, { context: { allowedHosts: ["page.example:443"] } });
  expect(text(await elsewhere.run("js_exec", { ...call, hosts: ["page.example"] }))).toContain("nobody has allowed");
  const listed = fileSession(sandbox, { context: { allowedHosts: [page(site)] } });
  expect((await listed.run("js_exec", call)).isError).toBe(false);
  expect(site.requests).toHaveLength(1);
});

/** Invalid hosts; the last ones would look like other hosts on a card and in a grant. */
const noHosts = [
  "*",
  "*.example",
  "https://a.example",
  "a.example/x",
  "u@a.example",
  "a.example:0",
  "a.example:65536",
  "",
  "a.example,b.example",
  "a.example;b.example",
  "a`b.example",
  "a·b,c.example",
  "[fe80::1%25eth0]",
];

test.each(noHosts)("%j is refused as a host", (host) => {
  const { input } = fileSession(sandbox).tool("js_exec");
  expect(input.safeParse({ code: "1", hosts: ["a.example", "[2001:db8::1]:8443"] }).success).toBe(true);
  expect(input.safeParse({ code: "1", hosts: [host] }).success).toBe(false);
});

test("the card and the grant list every host, and without hosts the grant differs", async () => {
  const session = fileSession(sandbox);
  const tool = session.tool("js_exec");
  const hosts = ["d.example", "c.example", "b.example", "a.example", "A.example"];
  const preview = await tool.preview?.({ code: "1", hosts }, session.context, new AbortController().signal);
  expect(preview).toMatchObject({
    reach:
      "may change files in the sandbox of this channel · a.example, b.example, c.example, d.example · 60 s · 64 MB",
  });
  expect(tool.grant({ code: "1", hosts }).label).toBe(
    "running this program, reaching a.example, b.example, c.example, d.example",
  );
  const place = { readOnly: false, allowedHosts: ["listed.example"] };
  expect(tool.capabilities?.({ code: "1", hosts }, place).hosts).toEqual(hosts.slice(0, 4).sort());
  expect(tool.capabilities?.(null, place).hosts).toEqual(["listed.example"]);
  const keys = [[], ["a.example"], ["a.example", "b.example"]].map(
    (each) => tool.grant({ code: "1", hosts: each }).key,
  );
  expect(new Set(keys).size).toBe(3);
  expect(tool.grant({ file: "x.js", hosts: ["a.example"] })).toEqual({
    key: "hosts a.example file x.js",
    label: "running x.js as it is now, reaching a.example",
  });
});

/** A server that never answers; reports when a request arrives and when its connection closes. */
async function startSilent() {
  const server = createServer();
  const { port } = await listening(server, PUBLIC, 0);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  server.on("connection", (socket) => socket.once("close", () => resolve()));
  const asked = once(server, "request");
  return { host: `page.example:${port}`, url: `http://page.example:${port}/`, asked, closed };
}

test("a stop ends a running fetch and its connection, and the next call works", async () => {
  const silent = await startSilent();
  const session = allowed();
  const stop = new AbortController();
  const running = session.run("js_exec", { code: fetching(silent.url), hosts: [silent.host] }, stop.signal);
  await silent.asked;
  stop.abort(new Error("stopped"));
  await expect(running).rejects.toThrow("stopped");
  await silent.closed;
  expect(text(await session.run("js_exec", { code: "1 + 1" }))).toBe("=> 2");
});

test("the call's time limit ends its fetch and connection", async () => {
  const silent = await startSilent();
  const call = { code: fetching(silent.url), hosts: [silent.host], timeout: 4 };
  expect(text(await allowed().run("js_exec", call))).toContain("Stopped after 4 s");
  await silent.closed;
});

test("if the sandbox process dies during a fetch, the connection closes, and the next call works", async () => {
  const silent = await startSilent();
  const running = allowed().run("js_exec", { code: fetching(silent.url), hosts: [silent.host] });
  await silent.asked;
  process.kill(sandbox.pid() ?? 0, "SIGKILL");
  expect(text(await running)).toContain("SIGKILL");
  await silent.closed;
  const site = await startEcho();
  const next = await allowed().run("js_exec", { code: fetching(site.at("page.example")), hosts: [page(site)] });
  expect(next.isError).toBe(false);
});

test("concurrent calls reach their own hosts and not each other's", async () => {
  const site = await startEcho();
  const at = (name: string): string => site.at(`${name}.example`, `/${name}`);
  const code = (own: string, other: string): string => `
    const reached = new Set();
    for (let round = 0; round < 10; round++)
      for (const url of ["${at(own)}", "${at(other)}"]) await fetch(url).then(() => reached.add(url), () => {});
    [...reached].join()`;
  const call = (own: string, other: string) =>
    allowed({ sessionId: own, channelKey: own }).run("js_exec", {
      code: code(own, other),
      hosts: [`${own}.example:${site.port}`],
    });
  const results = await Promise.all([call("a", "b"), call("b", "a")]);
  expect(results.map(text)).toEqual([`=> ${at("a")}`, `=> ${at("b")}`]);
  expect(
    site.requests
      .map(({ url, headers }) => `${headers.host}${url}`)
      .filter((line) => !/^(.)\.example:\d+\/\1$/.test(line)),
  ).toEqual([]);
});

test("a call with hosts counts as possibly having changed something there, one without does not", async () => {
  const ran = async (hosts: readonly string[]) => (await allowed().run("js_exec", { code: "1", hosts })).mayHaveChanged;
  expect([await ran(["page.example"]), await ran([])]).toEqual([true, undefined]);
});
