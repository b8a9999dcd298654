import { expect, onTestFinished, test } from "vitest";
import type { ConnectOptions } from "../../../src/tools/network/connect.ts";
import { type ProxyServerOptions, startProxyServer } from "../../support/proxy/proxy-server.ts";
import { text, useSandbox } from "../file-session.ts";
import { VALID } from "./certificates.ts";
import { fetchSession, PUBLIC, startSite } from "./fetch-session.ts";

const sandbox = useSandbox();

/** DNS of a machine that cannot resolve outside names. */
const unknown: ConnectOptions["resolve"] = () => Promise.reject(new Error("ENOTFOUND"));
const known: Readonly<Record<string, string>> = { "wiki.test": "10.0.0.7", "page.example": PUBLIC };

async function behindProxy(options: Partial<ProxyServerOptions> = {}, resolve = unknown) {
  const site = await startSite((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: "http://169.254.169.254/latest/meta-data/" });
    response.end(request.url === "/away" ? "" : `asked for ${request.url}`);
  }, "127.0.0.1");
  const proxy = await startProxyServer({ leadsTo: () => site.port, certificate: VALID, ...options });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  const session = fetchSession(sandbox, { resolve, ca: VALID.cert, proxyFor: () => new URL(proxy.url) });
  return { site, proxy, fetch: async (url: string) => text(await session.fetch(url)) };
}

test("names that do not resolve here are passed to the proxy, by CONNECT or as an absolute URL", async () => {
  const { fetch, proxy, site } = await behindProxy({ credentials: "me:a@b" });
  expect(await fetch("https://page.example/one?two")).toContain("asked for /one?two");
  expect(await fetch("http://page.example/three")).toContain("asked for /three");
  expect(proxy.asked).toEqual(["CONNECT page.example:443", "GET http://page.example/three"]);
  expect(site.requests.map(({ headers }) => headers["proxy-authorization"])).toEqual([undefined, undefined]);
});

const refused = [
  "http://127.0.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://[fd00::1]/",
  "https://localhost/",
  "https://wiki.test/",
  "https://intranet/",
  "http://metadata.google.internal/",
  "https://printer.local./",
];

test.each(refused)("%s is never requested from the proxy", async (url) => {
  const { fetch, proxy } = await behindProxy({}, (name, signal) =>
    known[name] === undefined ? unknown(name, signal) : Promise.resolve([known[name]]),
  );
  expect(await fetch(url)).toContain("is not a public address");
  expect(proxy.asked).toEqual([]);
});

test("the target of a redirect is checked as well", async () => {
  const { fetch, proxy } = await behindProxy();
  expect(await fetch("https://page.example/away")).toContain("169.254.169.254 is not a public address");
  expect(proxy.asked).toEqual(["CONNECT page.example:443"]);
});

test("a proxy that does not connect is named in the error", async () => {
  const closed = await behindProxy({ leadsTo: () => undefined });
  expect(await closed.fetch("https://page.example/")).toContain(
    "page.example cannot be reached: the proxy does not connect to it (HTTP 403)",
  );
  await closed.proxy[Symbol.asyncDispose]();
  expect(await closed.fetch("https://page.example/")).toMatch(/the proxy cannot be reached \(ECONNREFUSED\)/u);
});
