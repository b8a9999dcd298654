import { expect, test } from "vitest";
import type { GuestAnswer } from "../../../src/tools/network/guest-answer.ts";
import { createGuestFetch } from "../../../src/tools/network/guest-fetch.ts";
import type { GuestFetchLimits } from "../../../src/tools/network/limits.ts";
import { exceptPublic, PUBLIC, type Site, startSite } from "./fetch-session.ts";

/** The fetch function of one call, which may reach only the site. */
function callTo(site: Site, limits: Partial<GuestFetchLimits> = {}) {
  const rules = { allowedHosts: [`page.example:${site.port}`], blockedUrls: [] };
  const resolve = () => Promise.resolve([PUBLIC]);
  const fetch = createGuestFetch(rules, { isForbiddenAddress: exceptPublic, resolve, limits });
  return (request: object): Promise<GuestAnswer> =>
    fetch(JSON.stringify({ url: site.at("page.example"), ...request }), new AbortController().signal);
}

const sentence = (text: string) => ({ type: "refused", sentence: expect.stringContaining(text) });

test("a response above the size limit is refused instead of cut", async () => {
  const site = await startSite((_, response) => response.end("x".repeat(2_001)));
  const fetch = callTo(site, { bodyBytes: 2_000 });
  expect(await fetch({})).toEqual(sentence("larger than 2000 bytes"));
});

/** Bodies of the maximum size, of a byte that JSON writes as one, two and six characters. */
const bulky = [
  { byte: "x", expected: { type: "response" } },
  { byte: "\n", expected: { type: "response" } },
  { byte: "\u{1}", expected: sentence("takes more than 8454144 bytes once it is encoded") },
];

test.each(bulky)("4 MB of $byte are passed on only if a guest can hold them", async ({ byte, expected }) => {
  const site = await startSite((_, response) => {
    response.setHeader("content-type", "text/plain").end(byte.repeat(4_194_304));
  });
  expect(await callTo(site)({})).toMatchObject(expected);
});

test("sent and received bytes of a call share one limit, and reaching it is reported", async () => {
  const site = await startSite((_, response) => response.end("x".repeat(1_000)));
  const fetch = callTo(site, { callBytes: 3_500 });
  expect(await fetch({})).toMatchObject({ type: "response" });
  expect(await fetch({ method: "POST", body: "ä".repeat(500) })).toMatchObject({ type: "response" });
  expect(await fetch({})).toEqual(sentence("can transfer at most 3500 bytes"));
  expect(await fetch({ method: "POST", body: "x".repeat(600) })).toEqual(sentence("can transfer at most 3500 bytes"));
  expect(site.requests).toHaveLength(3);
});

test("bytes of a broken response count towards the limit", async () => {
  const site = await startSite((_, response) => {
    response.setHeader("content-length", "2000");
    response.write("x".repeat(1_000), () => response.socket?.end());
  });
  const fetch = callTo(site, { callBytes: 1_500 });
  expect(await fetch({})).toEqual(sentence("connection broke"));
  expect(await fetch({})).toEqual(sentence("can transfer at most 1500 bytes"));
});

test("the number of requests is limited, including redirects", async () => {
  const site: Site = await startSite(({ url }, response) => {
    if (url === "/") response.writeHead(302, { location: "/next" }).end();
    else response.end();
  });
  const fetch = callTo(site, { requests: 3 });
  expect(await fetch({})).toMatchObject({ type: "response" });
  expect(await fetch({})).toEqual(sentence("A call can make at most 3 requests, including redirects."));
  expect(site.requests).toHaveLength(3);
});

test("refused requests count as well", async () => {
  const site = await startSite((_, response) => response.end());
  const fetch = callTo(site, { requests: 2 });
  expect(await fetch({ url: "https://other.example/" })).toMatchObject(sentence("not among the hosts"));
  expect(await fetch({ method: "TRACE" })).toEqual(sentence("method: must be one of"));
  expect(await fetch({})).toEqual(sentence("A call can make at most 2 requests"));
  expect(site.requests).toEqual([]);
});

test("a redirect loop is aborted", async () => {
  const site = await startSite((_, response) => response.writeHead(307, { location: "/" }).end());
  expect(await callTo(site)({})).toEqual(sentence("redirects more than 5 times"));
  expect(site.requests).toHaveLength(6);
});

test("an endless response is aborted at the time limit", async () => {
  const site = await startSite((_, response) => void response.write("x"));
  expect(await callTo(site, { totalMs: 200 })({})).toEqual(sentence("was still sending after 0.2 s"));
});

test("a call has at most one request at a time", async () => {
  const site = await startSite((_, response) => response.end("done"));
  const fetch = callTo(site);
  const [first, ...others] = await Promise.all([fetch({}), fetch({}), fetch({})]);
  expect(first).toMatchObject({ type: "response" });
  expect(others).toEqual([sentence("one request at a time"), sentence("one request at a time")]);
  expect(await fetch({})).toMatchObject({ type: "response" });
});

test("a HEAD request returns headers without a body", async () => {
  const site = await startSite((_, response) => {
    response.setHeader("content-encoding", "gzip").setHeader("x-size", "7").end();
  });
  const answer = await callTo(site)({ method: "HEAD" });
  expect(answer.type === "response" && JSON.parse(answer.json)).toMatchObject({ headers: { "x-size": "7" }, text: "" });
});

test("requests have a User-Agent unless the guest sets one", async () => {
  const site = await startSite((_, response) => response.end());
  const fetch = callTo(site);
  await fetch({ headers: { accept: "text/csv" } });
  await fetch({ headers: { "User-Agent": "mine" } });
  expect(site.requests.map(({ headers }) => [headers["user-agent"], headers.accept])).toEqual([
    ["Deckhand (program)", "text/csv"],
    ["mine", "*/*"],
  ]);
});
