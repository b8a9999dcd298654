import { expect, test } from "vitest";
import { isForbiddenAddress } from "../../../src/tools/network/addresses.ts";
import type { NetworkOptions } from "../../../src/tools/network/exchange.ts";
import { createGuestFetch } from "../../../src/tools/network/guest-fetch.ts";
import type { GuestFetchLimits } from "../../../src/tools/network/limits.ts";
import { createSystemResolve } from "../../../src/tools/network/resolve.ts";
import { text, useSandbox } from "../file-session.ts";
import { startDns, type Zone } from "./dns-server.ts";
import { exceptPublic, fetchSession, PUBLIC, type Site, startSite } from "./fetch-session.ts";

const sandbox = useSandbox();

/** Address of a service on the site's port that must never be reached. */
const PRIVATE = "127.0.0.2";

interface Neighbours {
  readonly site: Site;
  readonly secret: Site;
}

async function neighbours(location?: (site: Site) => string): Promise<Neighbours> {
  const site: Site = await startSite((_, response) => {
    if (location === undefined) response.end("public");
    else response.writeHead(302, { location: inUtf8(location(site)) }).end();
  });
  const secret = await startSite((_, response) => response.end("secret"), PRIVATE, site.port);
  return { site, secret };
}

/** Encodes a header's value so that the runtime, which writes headers in Latin-1, sends UTF-8. */
function inUtf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

const literals = [
  ["dotted", "127.0.0.2"],
  ["decimal", "2130706434"],
  ["octal", "0177.0.0.02"],
  ["octal in one", "017700000002"],
  ["hexadecimal", "0x7f000002"],
  ["hexadecimal parts", "0x7f.0x0.0x0.0x2"],
  ["short, two parts", "127.2"],
  ["short, three parts", "127.0.2"],
  ["mixed", "0x7f.02"],
  ["with a dot at the end", "127.0.0.2."],
  ["in full-width digits", "１２７.０.０.２"],
  ["with ideographic dots", "127。0。0。2"],
  ["percent-encoded", "%31%32%37.0.0.2"],
  ["this host", "0"],
  ["IPv6 loopback", "[::1]"],
  ["IPv6 loopback, written out", "[0:0:0:0:0:0:0:1]"],
  ["mapped", "[::ffff:127.0.0.2]"],
  ["mapped, hexadecimal", "[::ffff:7f00:2]"],
  ["compatible", "[::127.0.0.2]"],
  ["NAT64", "[64:ff9b::7f00:2]"],
  ["6to4", "[2002:7f00:2::]"],
  ["link-local", "[fe80::1]"],
  ["AWS's metadata", "169.254.169.254"],
  ["AWS's metadata, decimal", "2852039166"],
  ["AWS's metadata, IPv6", "[fd00:ec2::254]"],
  ["private", "10.0.0.1"],
  ["CGNAT", "100.64.0.1"],
  ["multicast", "224.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["localhost", "localhost"],
  ["localhost in capitals, with a dot", "LOCALHOST."],
  ["beneath localhost", "app.localhost"],
] as const;

test.each(literals)("a non-public address is refused, %s: %s", async (_, host) => {
  const { site, secret } = await neighbours();
  const session = fetchSession(sandbox, { sites: [site], isForbiddenAddress });
  const url = site.at(host);
  const result = await session.fetch(url);
  expect(result.isError).toBe(true);
  expect(text(result)).toContain("not a public address");
  expect(
    session.tool.rule?.({ url }, { mode: "write", sandboxRoot: "/nowhere", allowedHosts: ["*"], blockedUrls: [] }),
  ).toMatchObject({
    type: "refuse",
  });
  expect([...site.requests, ...secret.requests]).toEqual([]);
});

test.each(literals)("a redirect to a non-public address is not followed, %s: %s", async (_, host) => {
  const { site, secret } = await neighbours(({ port }) => `http://${host}:${port}/secret`);
  const session = fetchSession(sandbox, { sites: [site] });
  const result = await session.fetch(site.at("page.example"));
  expect(result.isError).toBe(true);
  expect(text(result)).not.toContain("secret");
  expect(site.requests.filter(({ url }) => url === "/secret")).toEqual([]);
  expect(secret.requests).toEqual([]);
});

/** The sentence that refuses a guest's fetch although every host is allowed; empty if it is not refused. */
async function refusalOf(url: string, { port }: Site, options: NetworkOptions<GuestFetchLimits>): Promise<string> {
  const rules = { allowedHosts: ["*", `*:${port}`], blockedUrls: [] };
  const answer = await createGuestFetch(rules, options)(JSON.stringify({ url }), new AbortController().signal);
  return answer.type === "refused" ? answer.sentence : "";
}

test.each(literals)("a guest cannot reach a non-public address, %s: %s", async (_, host) => {
  const { site, secret } = await neighbours(({ port }) => `http://${host}:${port}/secret`);
  expect(await refusalOf(site.at(host), site, { resolve: createSystemResolve() })).toContain("not a public address");
  expect([...site.requests, ...secret.requests]).toEqual([]);

  const options = { isForbiddenAddress: exceptPublic, resolve: () => Promise.resolve([PUBLIC]) };
  expect(await refusalOf(site.at("page.example"), site, options)).toContain("not a public address");
  expect([site.requests.map(({ url }) => url), secret.requests]).toEqual([["/"], []]);
});

const zones: { name: string; zone: Zone }[] = [
  { name: "a private address", zone: { "page.example": [[PRIVATE]] } },
  { name: "a private address beside a public one", zone: { "page.example": [[PUBLIC, PRIVATE]] } },
  { name: "a public address beside a private one", zone: { "page.example": [[PRIVATE, PUBLIC]] } },
  { name: "a private IPv6 address", zone: { "page.example": [["fd00::1"]] } },
  { name: "IPv6 loopback beside a public address", zone: { "page.example": [[PUBLIC, "::1"]] } },
  { name: "a mapped address", zone: { "page.example": [["::ffff:7f00:2"]] } },
  { name: "a NAT64 address", zone: { "page.example": [["64:ff9b::7f00:2"]] } },
];

test.each(zones)("a name that resolves to $name is refused", async ({ zone }) => {
  const { site, secret } = await neighbours();
  const dns = await startDns(zone);
  const result = await fetchSession(sandbox, { sites: [site], resolve: dns.resolve }).fetch(site.at("page.example"));
  expect(text(result)).toContain("not a public address");
  expect([...site.requests, ...secret.requests]).toEqual([]);
});

test.each(zones)("a name that resolves to $name is refused to a guest", async ({ zone }) => {
  const { site, secret } = await neighbours();
  const { resolve } = await startDns(zone);
  const sentence = await refusalOf(site.at("page.example"), site, { isForbiddenAddress: exceptPublic, resolve });
  expect(sentence).toContain("not a public address");
  expect([...site.requests, ...secret.requests]).toEqual([]);
});

test("a name that changes its address after the check is reached at the checked address", async () => {
  const { site, secret } = await neighbours();
  const dns = await startDns({ "page.example": [[PUBLIC], [PRIVATE]] });
  const session = fetchSession(sandbox, { sites: [site], resolve: dns.resolve });
  expect(text(await session.fetch(site.at("page.example")))).toContain("public");
  expect(dns.questions.filter((question) => question === "A page.example")).toHaveLength(1);

  const rebound = await session.fetch(site.at("page.example", "/again"));
  expect(text(rebound)).toContain("not a public address");
  expect(secret.requests).toEqual([]);
});

test("a name is resolved and checked again after a redirect to itself", async () => {
  const { site, secret } = await neighbours(({ port }) => `http://page.example:${port}/secret`);
  const dns = await startDns({ "page.example": [[PUBLIC], [PRIVATE]] });
  const result = await fetchSession(sandbox, { sites: [site], resolve: dns.resolve }).fetch(site.at("page.example"));
  expect(text(result)).toContain("not a public address");
  expect(site.requests).toHaveLength(1);
  expect(secret.requests).toEqual([]);
});

test("a forbidden address that only the connection reveals is refused before a byte is sent", async () => {
  const { site } = await neighbours();
  // The check of the name passes, and that of the connection fails.
  const verdicts = [false, true];
  const session = fetchSession(sandbox, { sites: [site], isForbiddenAddress: () => verdicts.shift() ?? true });
  expect(text(await session.fetch(site.at("page.example")))).toContain("not a public address");
  expect(verdicts).toEqual([]);
  expect(site.requests).toEqual([]);
});

test("a name that does not exist is reported as such", async () => {
  const dns = await startDns({});
  const result = await fetchSession(sandbox, { resolve: dns.resolve }).fetch("http://nowhere.example/");
  expect(result.isError).toBe(true);
  expect(text(result)).toContain("nowhere.example has no address");
});

test("of several public addresses one that responds is used", async () => {
  const { site } = await neighbours();
  const open = (address: string): boolean => ![PUBLIC, "127.0.0.4"].includes(address);
  const dns = await startDns({ "page.example": [["127.0.0.4", PUBLIC]] });
  const session = fetchSession(sandbox, { sites: [site], resolve: dns.resolve, isForbiddenAddress: open });
  expect(text(await session.fetch(site.at("page.example")))).toContain("public");
});

const neverFetched = [
  { url: "http://user:password@page.example/", says: "user name or password" },
  { url: "http://user@page.example/", says: "user name or password" },
  { url: "ftp://page.example/", says: "Only http and https" },
  { url: "file:///etc/passwd", says: "Only http and https" },
  { url: "gopher://page.example:70/_x", says: "Only http and https" },
  { url: "data:text/html,x", says: "Only http and https" },
  { url: "blob:http://page.example/x", says: "Only http and https" },
  { url: "ws://page.example/", says: "Only http and https" },
  { url: "page.example", says: "not a complete URL" },
  { url: "http://", says: "not a complete URL" },
  { url: `http://page.example/${"x".repeat(8_000)}`, says: "not a complete URL" },
];

test.each(neverFetched)("$url is refused without a request", async ({ url, says }) => {
  const session = fetchSession(sandbox);
  const place = { mode: "write", sandboxRoot: "/nowhere", allowedHosts: [], blockedUrls: [] } as const;
  expect(session.tool.rule?.({ url }, place)).toMatchObject({ type: "refuse", reason: expect.stringContaining(says) });
  expect(text(await session.fetch(url))).toContain(says);
});

const badRedirects = [
  { name: "to a file", to: () => "file:///etc/passwd", says: "redirects to an address that cannot be fetched" },
  { name: "to no URL", to: () => "http://[::1", says: "redirects to an address that cannot be fetched" },
  {
    name: "with credentials",
    to: ({ port }: Site) => `http://user:pw@page.example:${port}/x`,
    says: "redirects to an address that cannot be fetched",
  },
  { name: "to a blocked URL", to: ({ port }: Site) => `http://page.example:${port}/private/x`, says: "blocked URLs" },
];

test.each(badRedirects)("a redirect $name is refused", async ({ to, says }) => {
  const { site } = await neighbours(to);
  const context = { blockedUrls: ["http://page.example/private"], allowedHosts: [`page.example:${site.port}`] };
  const result = await fetchSession(sandbox, { context }).fetch(site.at("page.example"));
  expect(result.isError).toBe(true);
  expect(text(result)).toContain(says);
  expect(site.requests.map(({ url }) => url)).toEqual(["/"]);
});

test("a port that is not listed is not reached, even if every host is allowed", async () => {
  const { site } = await neighbours();
  const result = await fetchSession(sandbox).fetch(site.at("page.example"));
  expect(text(result)).toContain("not on the list of allowed hosts");
  expect(site.requests).toEqual([]);
});
