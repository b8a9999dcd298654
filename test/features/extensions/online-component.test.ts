import { beforeAll, expect, test } from "vitest";
import { capabilitiesSummary } from "../../../src/core/capabilities.ts";
import { textOf } from "../../../src/core/protocol/messages.ts";
import { CancelSignal } from "../../../src/core/protocol/signals.ts";
import { toolContext } from "../../support/tool-context.ts";
import { exceptPublic, PUBLIC, type Site, startSite } from "../../tools/network/fetch-session.ts";
import { componentOf, type ExtensionSession, extensionSession, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox({
  network: { isForbiddenAddress: exceptPublic, resolve: () => Promise.resolve([PUBLIC]) },
});
let component: Uint8Array = new Uint8Array();

beforeAll(async () => {
  component = await componentOf("online.mjs", "online-isolated-component");
});

const OWN = { world: "deckhand:extension", arguments: undefined, input: { type: "object" }, permission: "none" };

/** A session with the component as the tool `online`, which may reach these hosts. */
function online(hosts: readonly string[]): ExtensionSession {
  const session = extensionSession(place);
  session.add("online", { ...OWN, hosts }, component);
  return session;
}

/** A site whose text is the request, but for /image and for /away, which leads to another host. */
async function startService(): Promise<Site> {
  const site: Site = await startSite((request, response) => {
    if (request.url === "/away") response.writeHead(302, { location: site.at("other.example") }).end();
    else if (request.url === "/image") response.end(Buffer.from("GIF89a\0"));
    else response.setHeader("content-type", "text/plain").end(`${request.method} ${request.url}`);
  });
  return site;
}

test("a component reaches the hosts of its tool.json in every mode and outside the operator's list", async () => {
  const site = await startService();
  const session = online([`*.page.example:${site.port}`]);
  const result = await session.run("online", { url: site.at("api.page.example", "/items"), method: "PUT" });
  expect(JSON.parse(textOf(result.content))).toEqual({
    url: site.at("api.page.example", "/items"),
    status: 200,
    statusText: "OK",
    headers: expect.objectContaining({ "content-type": "text/plain" }),
    text: "PUT /items",
  });
  const image = await session.run("online", { url: site.at("api.page.example", "/image") });
  expect(JSON.parse(textOf(image.content))).toMatchObject({ base64: Buffer.from("GIF89a\0").toString("base64") });
});

test.each(["none", "read"])(
  "a call of a component with permission %s counts as possibly having changed something at its hosts",
  async (permission) => {
    const called = Promise.withResolvers<void>();
    const site: Site = await startSite((request, response) => {
      if (request.url === "/held") called.resolve();
      else response.end("done");
    });
    const session = extensionSession(place);
    session.add("online", { ...OWN, permission, hosts: [`page.example:${site.port}`] }, component);
    const call = (path: string) => ({ url: site.at("page.example", path), method: "POST" });
    expect((await session.run("online", call("/"))).mayHaveChanged).toBe(true);

    const stop = new AbortController();
    const held = session.run("online", call("/held"), {}, stop.signal);
    await called.promise;
    stop.abort(new CancelSignal({ by: "person", name: "@ana" }));
    expect(await held).toMatchObject({ isError: true, mayHaveChanged: true });
  },
);

const refused = [
  {
    name: "another host, though every host is allowed",
    url: (site: Site) => site.at("other.example"),
    says: "other.example",
  },
  {
    name: "a redirect to another host",
    url: (site: Site) => site.at("page.example", "/away"),
    says: "redirects to other.example",
  },
  {
    name: "a blocked URL",
    url: (site: Site) => site.at("page.example", "/blocked/x"),
    says: "on the list of blocked URLs",
  },
];

test.each(refused)("a component is refused $name", async ({ url, says }) => {
  const site = await startService();
  const context = { allowedHosts: ["*", `*:${site.port}`], blockedUrls: ["page.example/blocked"], approved: true };
  const result = await online([`page.example:${site.port}`]).run("online", { url: url(site) }, context);
  expect(result.isError).toBe(true);
  expect(textOf(result.content)).toContain(says);
  expect(site.requests.filter((request) => request.url !== "/away")).toEqual([]);
});

test("private addresses are refused to a component even if its tool.json names one", async () => {
  const site = await startSite((_, response) => response.end("secret"), "127.0.0.2");
  const result = await online([`127.0.0.2:${site.port}`]).run("online", { url: site.at("127.0.0.2") });
  expect(textOf(result.content)).toContain("127.0.0.2 is not a public address");
  expect(site.requests).toEqual([]);
});

test("a component that imports the network is not loaded without hosts", async () => {
  const session = online([]);
  const { tools, problems } = await session.load();
  expect(tools).toEqual([]);
  expect(problems.join()).toContain(
    "the component imports deckhand:extension/http, but tool.json names no hosts for it.",
  );
});

test("the approval card names every host, the list of tools only the first ones", async () => {
  const hosts = ["a.example", "*.b.example", "c.example:8443", "d.example"];
  const session = online(hosts);
  const [tool] = (await session.load()).tools;
  const ctx = toolContext({ sandboxRoot: session.root });
  expect(await tool?.preview?.({}, ctx, new AbortController().signal)).toMatchObject({
    reach: `a component from extensions · no files · ${hosts.join(", ")} · 30 s · 64 MB`,
  });
  const reach = tool?.capabilities?.(null, ctx);
  expect(reach && capabilitiesSummary(reach)).toBe(
    "no files · a.example, *.b.example, c.example:8443 and 1 more hosts · 30 s · 64 MB",
  );
});

test("hosts are shown in normalised form, and a grant applies to exactly those hosts", async () => {
  const allow = async (hosts: readonly string[]) => (await online(hosts).load()).tools[0]?.grant({});
  expect(await allow(["API.Example.", "p\u0430ypal.example", "*.B.example:08443"])).toEqual({
    key: "extension:online api.example,xn--pypal-4ve.example,*.b.example:8443",
    label: "using the tool online, reaching api.example, xn--pypal-4ve.example, *.b.example:8443",
  });
  expect((await allow(["api.example", "more.example"]))?.key).toBe("extension:online api.example,more.example");
});
