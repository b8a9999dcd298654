import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { expect, test } from "vitest";
import type { CallEnvironment } from "../../../src/core/tool.ts";
import { recordingPosts } from "../../support/database/recording-posts.ts";
import { archive, paragraph, pdf, word } from "../documents/build-documents.ts";
import { fileSession, text, useSandbox } from "../file-session.ts";
import { fetchSession, PUBLIC, startSite } from "../network/fetch-session.ts";

const sandbox = useSandbox();

/** A listener that answers with this body. */
function serving(
  contentType: string,
  body: string | Uint8Array,
): (_: IncomingMessage, response: ServerResponse) => void {
  return (_, response) => {
    if (contentType !== "") response.setHeader("content-type", contentType);
    response.end(body);
  };
}

const page = `<!doctype html>
<html><head><title>Ports &amp; hosts</title><base href="/docs/"><style>p { color: red }</style></head>
<body><nav><a href="/">Home</a></nav>
<main>
<h1 id="top"><a href="#top">Ports</a></h1>
<p>The <b>default</b> is <code>3000</code>; see <a href="hosts.html?x=1">hosts</a> &lt;here&gt;.</p>
<pre><code class="language-ts">const port = 1;
if (port &lt; 2) {}
</code></pre>
<table><tr><th>key</th><th>value</th></tr><tr><td>port</td><td>a|b</td></tr></table>
<ul><li>one<ul><li>two</li></ul></li></ul>
<img src="i.png" alt="a picture"><a href="javascript:alert(1)">no link</a>
<script>evil()</script>
</main><footer>Footer</footer></body></html>`;

test("a page is returned as the Markdown of its main part, with absolute links", async () => {
  const site = await startSite(serving("text/html; charset=utf-8", page));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example", "/guide/"));
  const root = site.at("page.example", "");
  expect(text(result).split("\n")).toEqual([
    "HTTP 200 OK",
    `url: ${root}/guide/`,
    "content-type: text/html; charset=utf-8",
    "title: Ports & hosts",
    "",
    "# Ports",
    "",
    `The **default** is \`3000\`; see [hosts](${root}/docs/hosts.html?x=1) \\<here>.`,
    "",
    "```ts",
    "const port = 1;",
    "if (port < 2) {}",
    "```",
    "",
    "| key | value |",
    "| --- | --- |",
    "| port | a\\|b |",
    "",
    "- one",
    "  - two",
    "",
    `![a picture](${root}/docs/i.png)no link`,
  ]);
  expect(result).toMatchObject({ isError: false, summary: "200, 660 bytes" });
});

test("a page that consists of navigation only is shown completely", async () => {
  const site = await startSite(serving("text/html", "<title>T</title><nav><a href=/a>A</a></nav>"));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(text(result)).toContain(`[A](${site.at("page.example", "/a")})`);
});

const hostile = [
  { name: "30,000 levels deep", html: `${"<div>".repeat(30_000)}deep`, says: "deep" },
  { name: "of 100 lists in lists", html: `${"<ul><li>".repeat(100)}deep`, says: "deep" },
  { name: "of unclosed attributes", html: `found<a href="${'<a b="'.repeat(50_000)}`, says: "found" },
  { name: "of unclosed comments", html: `found${"<!--".repeat(100_000)}`, says: "found" },
  { name: "of angle brackets", html: `found ${"<".repeat(100_000)}`, says: "found" },
  { name: "of unclosed scripts", html: `found${"<script>".repeat(100_000)}`, says: "found" },
  { name: "of base elements", html: `found${"<base ".repeat(20_000)}`, says: "found" },
  { name: "of 8,000 paragraphs", html: `found${"<p>word</p>".repeat(8_000)}`, says: "found" },
  { name: "of three million characters", html: `found${`<p>${"word ".repeat(100)}</p>`.repeat(6_000)}`, says: "found" },
];

test.each(hostile)("a page $name can be read", async ({ html, says }) => {
  const site = await startSite(serving("text/html", html));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(result.isError).toBe(false);
  expect(text(result)).toContain(says);
});

const latin1 = Buffer.from("caf\xe9", "latin1");
const texts = [
  { name: "JSON", type: "application/json", body: '{"a": [1,\n 2]}', shows: '{"a": [1,\n 2]}' },
  { name: "plain text", type: "text/plain", body: "<b>as it is</b>", shows: "<b>as it is</b>" },
  { name: "XML", type: "application/xml", body: "<a><b/></a>", shows: "<a><b/></a>" },
  { name: "text without a type", type: "", body: "plain", shows: "plain" },
  { name: "HTML without a type", type: "", body: "<!doctype html><h1>T</h1>", shows: "# T" },
  { name: "text that claims to be binary", type: "application/octet-stream", body: "plain", shows: "plain" },
  { name: "Latin-1", type: "text/plain; charset=ISO-8859-1", body: latin1, shows: "café" },
  {
    name: "a charset named by the page",
    type: "text/html",
    body: Buffer.concat([Buffer.from('<meta charset="windows-1252"><p>'), latin1]),
    shows: "café",
  },
  { name: "an unknown charset", type: "text/plain; charset=klingon", body: "café", shows: "café" },
  { name: "UTF-16", type: "text/plain", body: Buffer.from("\ufeffcafé", "utf16le"), shows: "café" },
  { name: "Shift JIS", type: "text/plain; charset=shift_jis", body: Buffer.from([0x93, 0xfa]), shows: "日" },
];

test.each(texts)("$name is shown as text", async ({ type, body, shows }) => {
  const site = await startSite(serving(type, body));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(result.isError).toBe(false);
  expect(text(result).split("\n\n").slice(1).join("\n\n")).toBe(shows);
});

const png = readFileSync(new URL("../../../docs/images/web-narrow.png", import.meta.url));
const media = [
  {
    name: "an image",
    body: png,
    path: "/a/shot.png",
    block: { type: "image", mediaType: "image/png", name: "shot.png" },
  },
  {
    name: "a PDF",
    body: Buffer.from(pdf(["Uptime 99 %"])),
    path: "/a/report.pdf?v=2",
    block: { type: "document", mediaType: "application/pdf", name: "report.pdf", text: "[Page 1 of 1]\nUptime 99 %" },
  },
];

test.each(media)("$name is recognised, whatever media type the server states", async ({ body, path, block }) => {
  const site = await startSite(serving("text/html", body));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example", path));
  const from = block.type === "document" ? { context: expect.stringContaining("page.example") } : {};
  expect(result.content[1]).toEqual({ ...block, data: body.toString("base64"), ...from });
  expect(result.isError).toBe(false);
});

test("people see a fetched image or PDF only if the model requests it", async () => {
  const site = await startSite(serving("image/png", png));
  const { thread, files } = recordingPosts();
  const session = fetchSession(sandbox, { sites: [site], context: { thread } });
  const url = site.at("page.example", "/a/shot.png");
  expect(text(await session.fetch(url))).not.toContain("thread");
  expect(files()).toEqual([]);
  expect(text(await session.fetch(url, { show: true }))).toContain("`shot.png` can be seen in the thread.");
  expect(files()).toEqual([{ name: "shot.png", mediaType: "image/png", data: png }]);
  const small = fetchSession(sandbox, { sites: [site], context: { thread: recordingPosts(100).thread } });
  expect(text(await small.fetch(url, { show: true }))).toContain("shot.png is too large for the thread.");
});

test("a response that is neither text, image nor PDF is described as such", async () => {
  const site = await startSite(serving("application/zip", archive({ "a.txt": "a" })));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(result).toMatchObject({ isError: true, summary: "not readable" });
  expect(text(result)).toContain("application/zip, which cannot be shown");
});

test("the text of an office document is shown", async () => {
  const site = await startSite(serving("application/octet-stream", word(paragraph("Two nodes are enough."))));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(result.isError).toBe(false);
  expect(text(result)).toMatch(/\n\nTwo nodes are enough\.$/);
});

test("an error status is an error with the server's text", async () => {
  const site = await startSite((_, response) => {
    response.writeHead(429, { "content-type": "text/plain", "retry-after": "7", "x-internal": "no" }).end("slow down");
  });
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(result).toMatchObject({ isError: true, summary: "429, 9 bytes" });
  expect(text(result)).toBe(
    `HTTP 429 Too Many Requests\nurl: ${site.at("page.example")}\ncontent-type: text/plain\nretry-after: 7\n\nslow down`,
  );
});

test("a response without a body is reported as empty", async () => {
  const site = await startSite((_, response) => response.writeHead(204).end());
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example"));
  expect(text(result)).toContain("HTTP 204 No Content");
  expect(text(result)).toContain("(no body)");
});

test("a long text is returned in parts that join without a gap", async () => {
  const whole = `${"𝄞ab".repeat(20_000)}.`;
  const site = await startSite(serving("text/plain; charset=utf-8", whole));
  const session = fetchSession(sandbox, { sites: [site] });
  let joined = "";
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const shown: string = text(await session.fetch(site.at("page.example"), { offset }));
    const [, part = "", note = ""] = /\n\n([^\n]*)\n(\[.*\])$/.exec(shown) ?? [];
    joined += part;
    const next: string | undefined = /offset (\d+)/.exec(note)?.[1];
    offset = next === undefined ? undefined : Number(next);
  }
  expect(joined).toBe(whole);
});

const places: { name: string; url: string; place: Partial<CallEnvironment>; rule: object | null }[] = [
  { name: "a listed host", url: "https://a.example/x", place: { allowedHosts: ["a.example"] }, rule: null },
  { name: "any host", url: "https://a.example/x", place: { allowedHosts: ["*"] }, rule: null },
  {
    name: "a listed host in agi",
    url: "https://a.example/",
    place: { mode: "agi", allowedHosts: ["*.example"] },
    rule: null,
  },
  { name: "a host off the list", url: "https://a.example/", place: {}, rule: { type: "ask", always: false } },
  { name: "a host off the list in read", url: "https://a.example/", place: { mode: "read" }, rule: { type: "refuse" } },
  { name: "a host off the list in agi", url: "https://a.example/", place: { mode: "agi" }, rule: { type: "refuse" } },
  { name: "another port", url: "https://a.example:8443/", place: { allowedHosts: ["*"] }, rule: { type: "ask" } },
  {
    name: "a blocked URL of a listed host",
    url: "https://a.example/admin/x",
    place: { allowedHosts: ["*"], blockedUrls: ["https://a.example/admin"] },
    rule: { type: "refuse", reason: expect.stringContaining("blocked") },
  },
];

test.each(places)("$name: the permission rule of the call is $rule.type", ({ url, place, rule }) => {
  const { tool } = fetchSession(sandbox);
  const found = tool.rule?.(
    { url },
    { mode: "write", sandboxRoot: "/nowhere", allowedHosts: [], blockedUrls: [], ...place },
  );
  if (rule === null) expect(found).toBeNull();
  else expect(found).toMatchObject(rule);
});

test("the card shows the host and the whole URL, and a grant applies to the host", async () => {
  const { tool } = fetchSession(sandbox);
  const call = { url: "HTTPS://Docs.Example:443/a?token=1#part" };
  const { context } = fileSession(sandbox);
  expect(await tool.preview?.(call, context, new AbortController().signal)).toEqual({
    question: "Fetch from docs.example?",
    language: "",
    text: "https://docs.example/a?token=1",
    reach: "no files · docs.example · 30 s · what the URL itself says is sent",
  });
  expect(tool.grant(call)).toEqual({ key: "web_fetch:docs.example", label: "fetching from docs.example" });
  expect(tool.grant({ url: "http://docs.example:8080/" }).key).toBe("web_fetch:docs.example:8080");
  expect(tool.title(call)).toBe("docs.example/a?token=1");
});

test("a host off the list is fetched only after a person has allowed the call", async () => {
  const site = await startSite(serving("text/plain", "hello"));
  const url = site.at("page.example");
  const refused = await fetchSession(sandbox, { context: { allowedHosts: [] } }).fetch(url);
  expect(text(refused)).toContain("not on the list of allowed hosts");
  expect(site.requests).toEqual([]);
  const allowed = await fetchSession(sandbox, { context: { allowedHosts: [], approved: true } }).fetch(url);
  expect(text(allowed)).toContain("hello");
});

test("an approval does not override a block", async () => {
  const site = await startSite(serving("text/plain", "hello"));
  const context = { allowedHosts: [], approved: true, blockedUrls: ["page.example/private"] };
  const result = await fetchSession(sandbox, { context }).fetch(site.at("page.example", "/private/x"));
  expect(text(result)).toContain("blocked");
  expect(site.requests).toEqual([]);
});

const redirects = [
  { name: "to its own host", to: "page.example", context: { approved: true, allowedHosts: [] }, follows: true },
  { name: "to a listed host", to: "other.example", context: { allowedHosts: ["*"] }, follows: true },
  {
    name: "to a host off the list",
    to: "other.example",
    context: { approved: true, allowedHosts: [] },
    follows: false,
  },
];

test.each(redirects)("a redirect $name is followed: $follows", async ({ to, context, follows }) => {
  const site = await startSite(({ url, headers }, response) => {
    if (url === "/") response.writeHead(301, { location: `http://${to}:${headers.host?.split(":")[1]}/moved` }).end();
    else response.end("moved here");
  });
  const listed = context.allowedHosts.map((host) => `${host}:${site.port}`);
  const session = fetchSession(sandbox, { context: { ...context, allowedHosts: listed } });
  const result = await session.fetch(site.at("page.example"));
  expect(result.isError).toBe(false);
  const target = site.at(to, "/moved");
  if (follows) expect(text(result)).toContain(`url: ${target}\n\nmoved here`);
  else expect(text(result)).toContain(`${target}\nFetch that URL with another call`);
  expect(site.requests.map(({ url }) => url)).toEqual(follows ? ["/", "/moved"] : ["/"]);
});

test("a request contains nothing about the person or the machine", async () => {
  const site = await startSite(serving("text/plain", "x"));
  await fetchSession(sandbox, { sites: [site] }).fetch(site.at("page.example", "/a?b=1#c"));
  expect(site.requests).toHaveLength(1);
  expect(site.requests[0]).toMatchObject({ url: "/a?b=1" });
  expect(Object.keys(site.requests[0]?.headers ?? {}).sort()).toEqual([
    "accept",
    "accept-encoding",
    "accept-language",
    "connection",
    "host",
    "user-agent",
  ]);
});

const caching = [
  { name: "is fresh", headers: { "cache-control": "max-age=600" }, again: 1 },
  { name: "must not be kept", headers: { "cache-control": "no-store, max-age=600" }, again: 2 },
  { name: "says nothing of its age", headers: { "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" }, again: 2 },
];

test.each(caching)("a response that $name causes $again requests in two calls", async ({ headers, again }) => {
  const site = await startSite((_, response) => response.writeHead(200, headers).end("body"));
  const session = fetchSession(sandbox, { sites: [site] });
  const first = await session.fetch(site.at("page.example"));
  expect(text(first)).toContain("body");
  expect(text(await session.fetch(site.at("page.example")))).toBe(text(first));
  expect(site.requests).toHaveLength(again);
});

test("a stale response is validated by its ETag", async () => {
  const site = await startSite(({ headers }, response) => {
    if (headers["if-none-match"] === '"v1"') response.writeHead(304, { etag: '"v1"' }).end();
    else response.writeHead(200, { etag: '"v1"', "cache-control": "no-cache" }).end("body");
  });
  const session = fetchSession(sandbox, { sites: [site] });
  await session.fetch(site.at("page.example"));
  const again = await session.fetch(site.at("page.example"));
  expect(text(again)).toMatch(/^HTTP 200 OK[^]*body$/);
  expect(site.requests.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"v1"']);
});

test("cached responses are not shared between sessions, and a block applies to them", async () => {
  const site = await startSite((_, response) => response.writeHead(200, { "cache-control": "max-age=600" }).end("x"));
  const { tool } = fetchSession(sandbox);
  const call = { url: site.at("page.example") };
  const { signal } = new AbortController();
  const context = (sessionId: string, blockedUrls: string[] = []) =>
    fileSession(sandbox, { context: { sessionId, approved: true, blockedUrls } }).context;
  await tool.execute(call, context("one"), signal);
  await tool.execute(call, context("two"), signal);
  expect(site.requests).toHaveLength(2);
  await tool.execute(call, context("one"), signal);
  expect(site.requests).toHaveLength(2);
  const blocked = await tool.execute(call, context("one", ["page.example"]), signal);
  expect(text(blocked)).toContain("blocked");
});

test("a host may be an IP address", async () => {
  const site = await startSite(serving("text/plain", "hello"));
  const result = await fetchSession(sandbox, { sites: [site] }).fetch(site.at(PUBLIC));
  expect(text(result)).toContain("hello");
});
