import { once } from "node:events";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createServer as createTcpServer, type Server } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import ws from "ws";
import { toPlatformError } from "../../src/adapters/discord/errors.ts";
import { useGlobalAgents } from "../../src/adapters/discord/gateway/global-agents.ts";
import { createSlackPlatform } from "../../src/adapters/slack/adapter.ts";
import { checkKeys } from "../../src/cli/doctor/check-keys.ts";
import { checkProxy } from "../../src/cli/doctor/check-proxy.ts";
import { secretsOf } from "../../src/config/describe.ts";
import { ProviderError } from "../../src/core/protocol/errors.ts";
import { explain } from "../../src/core/protocol/explain.ts";
import { proxyFailure } from "../../src/core/protocol/system-code.ts";
import { proxyFor, proxyOf, useProxy } from "../../src/operations/proxy.ts";
import { systemRuntime } from "../../src/runtime.ts";
import { load, problemsOf } from "../support/program/config-sources.ts";
import { type ProxyServerOptions, startProxyServer } from "../support/proxy/proxy-server.ts";
import { silentLog } from "../support/silent-log.ts";

const CORP = "http://proxy.test:3128";

const ways = [
  { env: { HTTPS_PROXY: CORP }, url: "https://slack.com/", by: "proxy.test:3128" },
  { env: { HTTPS_PROXY: "proxy.test:3128" }, url: "https://slack.com/", by: "proxy.test:3128" },
  { env: { HTTPS_PROXY: CORP }, url: "http://docs.test/", by: undefined },
  { env: { HTTP_PROXY: CORP }, url: "https://slack.com/", by: "proxy.test:3128" },
  { env: { HTTPS_PROXY: CORP, https_proxy: "http://small.test:1" }, url: "https://slack.com/", by: "small.test:1" },
  { env: { HTTPS_PROXY: CORP }, url: "https://127.0.0.1/", by: undefined },
  { env: { HTTP_PROXY: CORP }, url: "http://localhost:11434/v1", by: undefined },
  { env: { HTTP_PROXY: CORP }, url: "http://[::1]:11434/v1", by: undefined },
  { env: { HTTPS_PROXY: CORP, NO_PROXY: "*" }, url: "https://slack.com/", by: undefined },
  { env: { HTTPS_PROXY: CORP, NO_PROXY: "corp.test" }, url: "https://git.corp.test/", by: undefined },
  { env: { HTTPS_PROXY: CORP, NO_PROXY: "a.test .corp.test" }, url: "https://git.CORP.test/", by: undefined },
  { env: { HTTPS_PROXY: CORP, NO_PROXY: "*.corp.test" }, url: "https://notcorp.test/", by: "proxy.test:3128" },
  { env: { HTTPS_PROXY: CORP, NO_PROXY: "corp.test:8443" }, url: "https://corp.test/", by: "proxy.test:3128" },
  { env: { HTTPS_PROXY: CORP, NO_PROXY: "corp.test:8443" }, url: "https://corp.test:8443/", by: undefined },
];

test.each(ways)("$url goes by $by with $env", ({ env, url, by }) => {
  expect(proxyFor(proxyOf(env, "127.0.0.1"), new URL(url))?.host).toBe(by);
});

test.each(["socks5://p:1", "http://name:pa%ss@p:1", "http://name:pa/ss@p:1"])(
  "%s is no proxy that can be used",
  (value) => {
    const [problem, ...others] = problemsOf({ env: { HTTPS_PROXY: value } });
    expect(problem).toMatch(/^HTTPS_PROXY: is not the address of an HTTP proxy\..* Example: HTTPS_PROXY=http:/u);
    expect(problem).not.toContain("ss@");
    expect(others).toEqual([]);
  },
);

test("networks in NO_PROXY have no effect, which is said", () => {
  const { warnings } = load({ env: { HTTPS_PROXY: CORP, NO_PROXY: "10.0.0.0/8,a.test" } });
  expect(warnings).toEqual([expect.stringMatching(/^NO_PROXY: 10\.0\.0\.0\/8 has no effect\./u)]);
});

test("the password is a secret in each form that it takes", () => {
  const secrets = secretsOf(load({ env: { HTTPS_PROXY: "http://me:a%40b@proxy.test" } }));
  expect(secrets).toEqual(["a%40b", "a@b", Buffer.from("me:a@b").toString("base64")]);
});

async function portOf(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

async function closedPort(): Promise<number> {
  const server = createTcpServer();
  const port = await portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

/** Uses these proxy settings for this process until the test ends. */
function use(env: Readonly<Record<string, string>>): void {
  onTestFinished(useProxy(proxyOf(env, "127.0.0.1")));
}

async function aProxy(options: ProxyServerOptions) {
  const proxy = await startProxyServer(options);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

test("fetch goes by the proxy with its password, and by none where NO_PROXY names the host", async () => {
  const site = await portOf(createServer((_, response) => response.end("here")));
  const proxy = await aProxy({ leadsTo: () => site, credentials: "me:a@b" });
  use({ HTTP_PROXY: proxy.url, NO_PROXY: "direct.invalid" });
  expect(await (await fetch("http://docs.test/")).text()).toBe("here");
  await expect(fetch("http://a.direct.invalid/")).rejects.toThrow();
  expect(await (await fetch(`http://127.0.0.1:${site}/`)).text()).toBe("here");
  expect(proxy.asked).toEqual(["CONNECT docs.test:80"]);
});

describe("a proxy that", () => {
  const cases = [
    {
      name: "is not there",
      proxy: async () => `http://me:pa55@127.0.0.1:${await closedPort()}`,
      says: /cannot be reached \(ECONNREFUSED\): check HTTPS_PROXY or HTTP_PROXY/u,
    },
    {
      name: "has no address",
      proxy: async () => "http://me:pa55@proxy.invalid:3128",
      says: /cannot be reached \((?:ENOTFOUND|EAI_AGAIN)\): check HTTPS_PROXY or HTTP_PROXY/u,
    },
    {
      name: "wants another password",
      proxy: async () => (await aProxy({ leadsTo: () => 1, credentials: "me:other" })).url.replace("other", "pa55"),
      says: /requires a name and password, or different ones \(HTTP 407\): HTTPS_PROXY or HTTP_PROXY must be http:/u,
    },
    {
      name: "does not let through",
      proxy: async () => (await aProxy({ leadsTo: () => undefined })).url,
      says: /does not connect to it \(HTTP 403\): allow it in the proxy/u,
    },
  ];

  test.each(cases)(
    "$name is named at the start, by doctor and in a thread, without its password",
    async ({ proxy, says }) => {
      const env = { HTTPS_PROXY: await proxy(), ANTHROPIC_API_KEY: "k" };
      use(env);
      const config = load({ env });
      const found = [...(await checkProxy(config)), ...(await checkKeys(config))];
      expect(found.map(({ text }) => text)).toEqual([
        expect.stringMatching(new RegExp(`^HTTPS_PROXY: the proxy ${says.source}`, "u")),
        expect.stringMatching(
          new RegExp(`^Anthropic: no network: it cannot be reached: the proxy ${says.source}`, "u"),
        ),
      ]);
      const slack = createSlackPlatform({
        botToken: "xoxb-1",
        mode: { type: "socket", appToken: "xapp-1" },
        apiUrl: "https://slack.test/api/",
        clock: systemRuntime().clock,
        log: silentLog,
      });
      const stopped = new AbortController();
      const started = slack.start(() => Promise.resolve({ type: "accepted" }), stopped.signal);
      await expect
        .poll(() => slack.health().detail)
        .toMatch(new RegExp(`^cannot sign in at slack.test: the proxy ${says.source}`, "u"));
      stopped.abort();
      await expect(started).rejects.toThrow();
      const cause = await fetch("https://model.test/").catch((error: unknown) => error);
      const told = explain(new ProviderError("network", "", { cause, detail: { providerName: "Anthropic" } }));
      expect(told).toMatch(
        new RegExp(`^✗ I cannot reach Anthropic: the proxy ${says.source}.*\\. Then mention me again\\.$`, "u"),
      );
      expect(JSON.stringify([found, slack.health(), told])).not.toContain("pa55");
    },
  );
});

test("a proxy that never answers is found by doctor, and nothing waits for it in the end", async () => {
  const silent = createTcpServer((socket) => void socket.on("error", () => {}).resume());
  const config = load({ env: { HTTP_PROXY: `http://127.0.0.1:${await portOf(silent)}` } });
  const leave = useProxy(config.proxy);
  expect(await checkProxy(config, { withinMs: 20 })).toEqual([
    { ok: false, text: "HTTP_PROXY: the proxy does not answer within 0.02 s: check its host and port." },
  ]);
  await leave();
  await expect.poll(() => new Promise((resolve) => silent.getConnections((_, count) => resolve(count)))).toBe(0);
});

test("the gateway's socket goes by the proxy, and says so where that does not connect", async () => {
  onTestFinished(() => void Object.defineProperty(ws, "WebSocket", { value: ws, writable: true }));
  useGlobalAgents();
  const taken: { WebSocket: typeof ws } = createRequire(import.meta.url)("ws"); // Loaded as discord.js loads it.
  const proxy = await aProxy({ leadsTo: () => undefined });
  use({ HTTPS_PROXY: proxy.url });
  const [error] = await once(new taken.WebSocket("wss://gateway.test/"), "error");
  expect(toPlatformError(error, "").code).toBe("network");
  expect(proxyFailure(error)).toMatch(/^the proxy does not connect to it \(HTTP 403\)/u);
  expect(proxy.asked).toEqual(["CONNECT gateway.test:443"]);
});
