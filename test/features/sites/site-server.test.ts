import { readFileSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import path from "node:path";
import { expect, test } from "vitest";
import { ManualClock } from "../../support/manual-clock.ts";
import { siteWorld } from "./site-world.ts";

const PAGE = "<!doctype html><title>Heron</title><h1>The heron</h1>";

interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A request whose address and headers are sent as they are written. */
function raw(
  origin: string,
  address: string,
  { method = "GET", headers = {}, body: form = "" }: Sent = {},
): Promise<{ status: number; body: string; headers: IncomingHttpHeaders }> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path: address, method, headers, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (chunk) => {
        body += String(chunk);
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    sent.on("error", reject);
    sent.end(form);
  });
}

/** As a browser goes to an address, and as a page without an origin loads something. */
const navigated = { headers: { "sec-fetch-mode": "navigate" } };
const loaded = { headers: { origin: "null", "sec-fetch-mode": "cors" } };

test("files are served with their types; a directory serves its index, and redirects to its trailing slash", async () => {
  const world = await siteWorld();
  world.put("heron", {
    "index.html": PAGE,
    "style.css": "h1 { color: teal }",
    "app.js": "export {};",
    "data.json": "{}",
    "logo.svg": "<svg xmlns='http://www.w3.org/2000/svg'/>",
    "deep/er/index.html": "<p>deep</p>",
    "odd name é%2f#?.txt": "odd",
    "empty/none.txt": "",
  });
  const url = await world.publish("heron");
  const types = await Promise.all(
    ["", "style.css", "app.js", "data.json", "logo.svg", "deep/er/"].map(async (file) => {
      const response = await fetch(`${url}${file}`);
      return `${response.status} ${response.headers.get("content-type")}`;
    }),
  );
  expect(types).toEqual([
    "200 text/html; charset=utf-8",
    "200 text/css; charset=utf-8",
    expect.stringMatching(/^200 (?:text|application)\/javascript; charset=utf-8$/u),
    "200 application/json; charset=utf-8",
    "200 image/svg+xml",
    "200 text/html; charset=utf-8",
  ]);
  for (const without of [url.slice(0, -1), `${url}deep/er`]) {
    const response = await fetch(without, { redirect: "manual" });
    expect([response.status, response.headers.get("location")]).toEqual([302, `${new URL(without).pathname}/`]);
  }
  const odd = await fetch(`${url}${encodeURIComponent("odd name é%2f#?.txt")}`);
  expect([odd.status, await odd.text()]).toEqual([200, "odd"]);
  for (const none of ["empty/", "empty/none.txt/", "none.html", "index.html/x"]) {
    expect((await fetch(`${url}${none}`)).status).toBe(404);
  }
  expect((await fetch(`${world.origin}/`)).status).toBe(404);
  expect((await fetch(`${url}${"a/".repeat(4_000)}`)).status).toBe(404);
});

test("ranges and conditional requests are supported, HEAD has no body, and POST is refused", async () => {
  const world = await siteWorld();
  world.put("heron", { "index.html": PAGE, "long.txt": "0123456789" });
  const url = await world.publish("heron");
  const part = await fetch(`${url}long.txt`, { headers: { range: "bytes=2-4" } });
  expect([part.status, part.headers.get("content-range"), await part.text()]).toEqual([206, "bytes 2-4/10", "234"]);
  expect((await fetch(`${url}long.txt`, { headers: { range: "bytes=20-" } })).status).toBe(416);
  const whole = await fetch(url);
  const etag = whole.headers.get("etag") ?? "";
  expect(etag).not.toBe("");
  expect((await raw(world.origin, "/sites/heron/", { headers: { "if-none-match": etag } })).status).toBe(304);
  expect(whole.headers.get("cache-control")).toBe("no-cache");
  const head = await fetch(url, { method: "HEAD" });
  expect([head.status, await head.text()]).toEqual([200, ""]);
  for (const method of ["POST", "PUT", "DELETE"]) expect((await fetch(url, { method })).status).toBe(404);
});

test("a new version replaces the old one, which can be restored until it is pruned from the disk", async () => {
  const world = await siteWorld({ keptVersions: 2 });
  const text = async () => (await fetch(`${world.origin}/sites/heron/`)).text();
  for (const version of ["one", "two", "three"]) {
    world.put("heron", { "index.html": version });
    const etag = (await fetch(`${world.origin}/sites/heron/`)).headers.get("etag");
    const url = await world.publish("heron");
    expect(await text()).toBe(version);
    expect((await fetch(url)).headers.get("etag")).not.toBe(etag);
  }
  expect(world.folders()).toHaveLength(2);
  const site = await world.sites.get("heron");
  if (site === null) throw new Error("there is no site");
  expect(await world.sites.rollback(site, null)).toMatchObject({ number: 2 });
  expect(await text()).toBe("two");
  expect(await world.sites.rollback(site, null)).toBeNull();
  expect(await world.sites.rollback(site, 1)).toBeNull();
  expect(await world.sites.rollback(site, 3)).toMatchObject({ number: 3 });
  expect(await text()).toBe("three");
  await world.sites.unpublish(site);
  expect((await fetch(`${world.origin}/sites/heron/`)).status).toBe(404);
  expect(world.folders()).toEqual([]);
});

test("the published copy is served independently of its directory, also after a restart, which removes unused files", async () => {
  const first = await siteWorld();
  first.put("heron", { "index.html": PAGE });
  await first.publish("heron");
  writeFileSync(path.join(first.root, "heron/index.html"), "changed");
  const [folder = ""] = first.folders();
  expect(readFileSync(path.join(first.home, "sites", folder, "index.html"), "utf8")).toBe(PAGE);
  const orphan = path.join(first.home, "sites", ".new-site_1");
  writeFileSync(orphan, "");
  const second = await siteWorld({ home: first.home });
  expect(await (await fetch(`${second.origin}/sites/heron/`)).text()).toBe(PAGE);
  expect(first.folders()).toEqual([folder]);
});

const DOTS = [
  "..",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%252e%252e",
  "..;",
  "..%00",
  "%c0%ae%c0%ae",
  "．．",
  "..%5c",
  "%2e%2e%2f",
  "..%2f",
  "...",
  ".",
];
const SLASHES = ["/", "//", "%2f", "%2F", "%5c", "\\", "%252f", "/./", "%c0%af", "/%2e/"];
const STARTS = ["", "/", "sub/", "sub", "%2f", "index.html/", "~1.aaaa/", "./", "sub/..", ".hidden/"];
const ENDS = [
  "secret.txt",
  "etc/passwd",
  "deckhand.db",
  "root/secret.txt",
  ".hidden",
  "secret.txt%00.html",
  "secret.txt?",
  "secret.txt/.",
];

/** Addresses that try to leave a site's directory: of every three of their parts all spellings meet, with one of the fourth's. */
function escapes(): string[] {
  const made: string[] = [];
  for (const [a, start] of STARTS.entries())
    for (const [b, dots] of DOTS.entries())
      for (const [c, slash] of SLASHES.entries())
        for (const [d, end] of ENDS.entries())
          if ((a + b + c + d) % 8 === 0) made.push(`${start}${`${dots}${slash}`.repeat(1 + (made.length % 6))}${end}`);
  return made.filter((address) => /^[\x21-\x7e]*$/u.test(encodeURI(address).replaceAll("%25", "%")));
}

test("no encoding of a path leads out of a site's directory", { timeout: 120_000 }, async () => {
  const world = await siteWorld();
  world.put("heron", { "index.html": PAGE, "sub/index.html": "sub", ".hidden": "HIDDEN SECRET" });
  world.put("", { "secret.txt": "ROOT SECRET" });
  writeFileSync(path.join(world.home, "secret.txt"), "HOME SECRET");
  await world.publish("heron");
  writeFileSync(path.join(world.home, "sites", "secret.txt"), "SITES SECRET");
  const addresses = escapes();
  expect(addresses.length).toBeGreaterThan(1_200);
  const leaks: string[] = [];
  const statuses = new Set<number>();
  const queue = addresses.flatMap((address) => {
    const sent = encodeURI(address).replaceAll("%25", "%");
    return [`/sites/heron/${sent}`];
  });
  const worker = async () => {
    for (let address = queue.pop(); address !== undefined; address = queue.pop()) {
      const { status, body } = await raw(world.origin, address);
      statuses.add(status);
      if (/SECRET|root:|SQLite/u.test(body) || (status === 200 && body !== PAGE && body !== "sub")) leaks.push(address);
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));
  expect(leaks).toEqual([]);
  expect([...statuses].every((status) => [200, 302, 400, 404].includes(status))).toBe(true);
});

test.each([
  "/sites/../heron/",
  "/sites/HERON/",
  "/sites/-heron/",
  "/sites/heron%2f/",
  "/sites/%68eron/",
  "//sites/heron/",
  "/sites//heron/",
  "/x/../sites/heron/",
  `/sites/${"a".repeat(64)}/`,
  `/sites/heron/${"/".repeat(64)}`,
  "/sites/heron/%zz",
  "/sites/.new-site/",
])("%s is not the address of a site", async (address) => {
  const world = await siteWorld();
  world.put("heron", { "index.html": PAGE });
  await world.publish("heron");
  const { status, body } = await raw(world.origin, address);
  expect([400, 404]).toContain(status);
  expect(body).not.toContain("The heron");
});

test("requests with a foreign host name are refused", async () => {
  const world = await siteWorld({ url: "https://sites.example.com" });
  world.put("heron", { "index.html": PAGE });
  await world.publish("heron");
  const { port } = new URL(world.origin);
  const statusFor = async (host: string) => (await raw(world.origin, "/sites/heron/", { headers: { host } })).status;
  expect(await statusFor(`localhost:${port}`)).toBe(200);
  expect(await statusFor("sites.example.com")).toBe(200);
  expect(await statusFor("evil.example")).toBe(421);
  expect(await statusFor(`evil.example:${port}`)).toBe(421);
  expect(await statusFor("localhost:1")).toBe(421);
});

test("other sites' pages cannot read a site: a request without an origin needs a visit's pass in the address", async () => {
  const world = await siteWorld();
  world.put("heron", { "index.html": PAGE, "data.json": "{}" });
  const url = await world.publish("heron");
  const asLoaded = async (address: string) => {
    const { status, headers } = await raw(world.origin, address, loaded);
    return [status, headers["access-control-allow-origin"], headers["cross-origin-resource-policy"]];
  };
  expect(await asLoaded(`${new URL(url).pathname}data.json`)).toEqual([200, undefined, "same-origin"]);
  const visit = await raw(world.origin, "/sites/heron/data.json?x=1", navigated);
  const { location = "" } = visit.headers;
  expect(location).toMatch(/^\/sites\/heron\/~[0-9a-z]+\.[\w-]{43}\/data\.json\?x=1$/u);
  expect(await asLoaded(location)).toEqual([200, "null", "cross-origin"]);
  expect(
    (await raw(world.origin, location, { headers: { origin: "https://evil.example" } })).headers,
  ).not.toHaveProperty("access-control-allow-origin");
  const forged = location.replace(/[\w-]{43}/u, "A".repeat(43));
  expect((await asLoaded(forged))[0]).toBe(403);
  expect((await raw(world.origin, forged, navigated)).headers.location).toBe("/sites/heron/data.json?x=1");
  world.put("egret", { "index.html": PAGE, "data.json": "{}" });
  await world.publish("egret");
  expect((await asLoaded(location.replace("heron", "egret")))[0]).toBe(403);
});

test("a protected site needs its password, and guessing is throttled per visitor", async () => {
  const clock = new ManualClock();
  const world = await siteWorld({ clock, url: "https://sites.example.com" });
  world.put("heron", { "index.html": PAGE, "data.json": "{}" });
  const url = await world.publish("heron");
  const { location: openPass = "" } = (await raw(world.origin, "/sites/heron/", navigated)).headers;
  const site = await world.sites.get("heron");
  if (site === null) throw new Error("there is no site");
  const password = await world.sites.protect(site);
  for (const file of ["", "data.json", "none.html"]) {
    const { status, body } = await raw(world.origin, `/sites/heron/${file}`);
    expect([status, body.includes("The heron"), body.includes('type="password"')]).toEqual([401, false, true]);
  }
  expect((await fetch(`${world.origin}${openPass}data.json`, { headers: { "sec-fetch-mode": "cors" } })).status).toBe(
    403,
  );

  const enter = (guess: string, from = "10.0.0.1") =>
    fetch(url, {
      method: "POST",
      redirect: "manual",
      headers: { "x-forwarded-for": from },
      body: new URLSearchParams({ password: guess }),
    });
  for (const { status, ...odd } of [
    { status: 401 },
    { body: "{}", headers: { "content-type": "application/json" }, status: 415 },
    { body: password, headers: { "content-type": "text/plain" }, status: 415 },
  ])
    expect((await fetch(url, { method: "POST", ...odd })).status).toBe(status);
  const right = await enter(password);
  const address = `${world.origin}${right.headers.get("location")}`;
  expect(right.status).toBe(303);
  expect(await (await fetch(address)).text()).toBe(PAGE);
  expect((await fetch(`${address}data.json`)).status).toBe(200);

  const guesses = await Promise.all(["a", "b", "c", "d"].map((guess) => enter(guess)));
  expect(guesses.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
  expect((await enter("e")).status).toBe(401);
  const late = await enter(password);
  expect([late.status, Number(late.headers.get("retry-after")) > 800]).toEqual([429, true]);
  expect(await late.text()).toContain("Too many attempts. Wait 15 minutes");
  expect((await enter(password, "10.0.0.2")).status).toBe(303);
  // Whoever has one address of IPv6 has a whole network of them.
  for (let host = 1; host <= 5; host += 1) expect((await enter("x", `2001:db8::${host}`)).status).toBe(401);
  expect((await enter(password, "2001:db8::99")).status).toBe(429);
  await clock.advance(900_000);
  expect((await enter(password)).status).toBe(303);

  await clock.advance(86_400_000);
  expect((await raw(world.origin, new URL(address).pathname)).headers.location).toBe("/sites/heron/");
  await world.sites.protect(site);
  expect((await enter(password)).status).toBe(401);
  await world.sites.unprotect(site);
  expect((await fetch(url)).status).toBe(200);
});
