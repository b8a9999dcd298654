import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Message } from "../../../../src/core/protocol/messages.ts";
import type { LlmProvider } from "../../../../src/core/providers/provider.ts";
import { createProviderRegistry, type ProviderSettings } from "../../../../src/core/providers/registry/registry.ts";
import { systemRuntime } from "../../../../src/runtime.ts";
import { describeWire } from "../../../contracts/wire.ts";
import type { WireHarness } from "../../../contracts/wire-harness.ts";
import { ManualClock } from "../../../support/manual-clock.ts";
import { httpError, text, unauthorized } from "../../../support/model/model-script.ts";
import {
  COPILOT_MODELS,
  type CopilotExchange,
  copilotToken,
  startCopilotExchange,
  startCopilotServer,
} from "../../../support/program/gateway-servers.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { PIXEL, READ_TOOL, results, said, user } from "../../../support/talk/conversation.ts";

const never = new AbortController().signal;

describe("over each wire", () => {
  let exchange: CopilotExchange;
  beforeAll(async () => {
    exchange = await startCopilotExchange(() => copilotToken("short-lived", { now: Date.now() }));
  });
  afterAll(() => exchange[Symbol.asyncDispose]());

  const harness: Omit<WireHarness, "name" | "ref" | "thoughtMark" | "optional"> = {
    startServer: () => startCopilotServer("short-lived"),
    settings: (url) => ({ apiKey: "github-token", baseUrl: url }),
    fetch: (...request) => exchange.fetch(...request),
    beforehand: (provider) => provider.listModels(never),
    requestsOfRefusedKey: 2,
  };

  describeWire({
    ...harness,
    name: "Copilot's Anthropic Messages",
    ref: "copilot/claude-sonnet-5.5",
    thoughtMark: "sealed",
    optional: { request: { effortLevel: "high" }, field: "output_config" },
  });

  describeWire({
    ...harness,
    name: "Copilot's OpenAI Responses",
    ref: "copilot/gpt-5.6-terra",
    thoughtMark: "sealed",
    optional: { request: { temperature: 0.2 }, field: "temperature" },
  });
});

interface Scene {
  readonly clock?: ManualClock;
  readonly exchange: CopilotExchange;
  readonly own?: ProviderSettings;
}

async function copilot({ clock, exchange, own = {} }: Scene): Promise<LlmProvider> {
  const runtime = { ...systemRuntime(), ...(clock === undefined ? {} : { clock }) };
  const settings = { copilot: { apiKey: "github-token", ...own } };
  const registry = createProviderRegistry({ settings, runtime, log: silentLog, fetch: exchange.fetch });
  return (await registry.resolve("copilot/any")).provider;
}

function ask(provider: LlmProvider, model: string, messages: readonly Message[] = [user("hi")]) {
  return provider.createMessage({ model, system: [], messages, tools: [READ_TOOL], maxTokens: 100 }, never);
}

test("the API is where the token says, and each model goes over the API that the list names", async () => {
  await using server = await startCopilotServer("short-lived");
  await using exchange = await startCopilotExchange(() =>
    copilotToken("short-lived", { now: Date.now(), api: server.url }),
  );
  const provider = await copilot({ exchange });
  const models = [...COPILOT_MODELS.data.map(({ id }) => id), "unlisted"];
  await Promise.all(models.map((model) => ask(provider, model)));
  expect(server.violations).toEqual([]);
  expect(server.requests.map(({ path }) => path).sort()).toEqual([
    "/chat/completions",
    "/chat/completions",
    "/responses",
    "/v1/messages",
  ]);
  for (const { headers } of server.requests) {
    expect(headers).toMatchObject({ authorization: "Bearer short-lived", "copilot-integration-id": "vscode-chat" });
    expect(JSON.stringify(headers)).not.toContain("github-token");
  }
  expect(exchange.requests).toMatchObject([{ authorization: "token github-token" }]);
  expect(await provider.listModels(never)).toContainEqual({
    id: "claude-sonnet-5.5",
    contextWindow: 160_000,
    maxOutputTokens: 32_000,
  });
});

test("a token is used until it is about to end, and one that is refused before that is replaced once", async () => {
  const clock = new ManualClock();
  await using server = await startCopilotServer();
  await using exchange = await startCopilotExchange((index) => copilotToken(`token-${index}`, { now: clock.now() }));
  server.script(({ headers }) => (headers.authorization === "Bearer token-1" ? unauthorized() : text("ok")));
  const provider = await copilot({ clock, exchange, own: { baseUrl: server.url } });
  const carried = () => server.requests.map(({ headers }) => headers.authorization);

  await ask(provider, "gemini-3.8-pro");
  await clock.advance(25 * 60_000);
  await ask(provider, "gemini-3.8-pro");
  expect(carried()).toEqual(["Bearer token-0", "Bearer token-0"]);
  expect(exchange.requests).toHaveLength(1);

  await clock.advance(5 * 60_000);
  await ask(provider, "gemini-3.8-pro");
  expect(carried().slice(2)).toEqual(["Bearer token-1", "Bearer token-2"]);
  expect(exchange.requests).toHaveLength(3);
});

test("a model that comes while the program runs goes over its API; what cannot be read hides no other", async () => {
  const clock = new ManualClock();
  const models: { data: object[] } = { data: [{ name: "without an id" }, ...COPILOT_MODELS.data] };
  await using server = await startCopilotServer(undefined, models);
  await using exchange = await startCopilotExchange((index) => copilotToken(`token-${index}`, { now: clock.now() }));
  const provider = await copilot({ clock, exchange, own: { baseUrl: server.url } });
  await ask(provider, "gpt-5.6-terra");
  models.data.push({ id: "gpt-7", supported_endpoints: ["/responses"] });
  await ask(provider, "gpt-7");
  await clock.advance(3_600_000);
  await ask(provider, "gpt-7");
  expect(server.requests.map(({ path }) => path)).toEqual(["/responses", "/chat/completions", "/responses"]);
});

test("models that are known go over their API while the list is read anew, and though that fails", async () => {
  const clock = new ManualClock();
  await using server = await startCopilotServer();
  await using exchange = await startCopilotExchange((index) => copilotToken(`token-${index}`, { now: clock.now() }));
  const isRead = Promise.withResolvers<void>();
  const isAnswered = Promise.withResolvers<Response>();
  let reads = 0;
  const fetch: typeof exchange.fetch = (input, init) => {
    if (input !== `${server.url}/models` || ++reads === 1) return exchange.fetch(input, init);
    isRead.resolve();
    return isAnswered.promise;
  };
  const provider = await copilot({ clock, exchange: { ...exchange, fetch }, own: { baseUrl: server.url } });
  await ask(provider, "gpt-5.6-terra");
  await clock.advance(3_600_000);
  const asked = ask(provider, "unlisted");
  await isRead.promise;
  await ask(provider, "gpt-5.6-terra");
  isAnswered.resolve(new Response("not today", { status: 500 }));
  await asked;
  await ask(provider, "unlisted");
  const paths = ["/responses", "/responses", "/chat/completions", "/chat/completions"];
  expect(server.requests.map(({ path }) => path)).toEqual(paths);
  expect(reads).toBe(2);
});

const refusals = [
  { status: 401, body: '{"message":"Bad credentials"}', code: "auth" },
  { status: 403, body: '{"error_details":{"message":"No access to GitHub Copilot found."}}', code: "auth" },
  { status: 404, body: '{"message":"Not Found"}', code: "auth" },
  { status: 429, body: "slow down", code: "rate_limited" },
  { status: 500, body: "", code: "provider_failed" },
  { status: 200, body: '{"hello":"world"}', code: "provider_failed" },
  { status: 200, body: "<html>", code: "provider_failed" },
];
test.each(refusals)("an exchange that answers $status $body is $code", async ({ code, ...answer }) => {
  await using exchange = await startCopilotExchange(() => answer);
  const provider = await copilot({ exchange, own: { baseUrl: "http://127.0.0.1:9" } });
  const detail = { provider: "copilot", keyVariable: "COPILOT_GITHUB_TOKEN" };
  await expect(ask(provider, "gemini-3.8-pro")).rejects.toMatchObject({ code, detail });
});

test("a GitHub token that is withdrawn meanwhile is a refused key", async () => {
  await using server = await startCopilotServer("another");
  await using exchange = await startCopilotExchange((index) =>
    index === 0 ? copilotToken("short-lived", { now: Date.now() }) : { status: 401, body: "Bad credentials" },
  );
  const provider = await copilot({ exchange, own: { baseUrl: server.url } });
  await expect(ask(provider, "gemini-3.8-pro")).rejects.toMatchObject({
    code: "auth",
    message: expect.stringContaining("Bad credentials"),
  });
  expect(server.requests).toHaveLength(1);
});

test("whoever gives up while a token comes stops waiting; the others get theirs", async () => {
  await using server = await startCopilotServer();
  await using exchange = await startCopilotExchange(() => copilotToken("short-lived", { now: Date.now() }));
  const provider = await copilot({ exchange, own: { baseUrl: server.url } });
  const leaving = new AbortController();
  const request = { model: "gemini-3.8-pro", system: [], messages: [user("hi")], tools: [], maxTokens: 100 };
  const given = provider.createMessage(request, leaving.signal);
  const kept = provider.createMessage(request, never);
  leaving.abort(new Error("stopped by a person"));
  await expect(given).rejects.toThrow("stopped by a person");
  expect((await kept).stopReason).toBe("end_turn");
  expect(exchange.requests).toHaveLength(1);
});

test("without the list of models a call goes over Chat Completions, unless the operator names a wire", async () => {
  await using server = await startCopilotServer(undefined, { error: "not today" });
  await using exchange = await startCopilotExchange(() => copilotToken("short-lived", { now: Date.now() }));
  await ask(await copilot({ exchange, own: { baseUrl: server.url } }), "gpt-5.6-terra");
  await ask(await copilot({ exchange, own: { baseUrl: server.url, wire: "responses" } }), "gpt-5.6-terra");
  expect(server.requests.map(({ path }) => path)).toEqual(["/chat/completions", "/responses"]);
});

test("requests tell a person's words from what follows of them, and announce images", async () => {
  await using server = await startCopilotServer();
  await using exchange = await startCopilotExchange(() => copilotToken("short-lived", { now: Date.now() }));
  const provider = await copilot({ exchange, own: { baseUrl: server.url } });
  const image = { type: "image", mediaType: "image/png", data: PIXEL } as const;
  const call = said("assistant", [{ type: "tool_use", id: "call_1", name: "read", input: {} }]);
  const looked: Message = said("user", [
    { type: "tool_result", toolUseId: "call_1", content: [image], isError: false },
  ]);
  await ask(provider, "gemini-3.8-pro");
  await ask(provider, "claude-sonnet-5.5", [user("hi"), call, results({ id: "call_1", text: "A" })]);
  await ask(provider, "gpt-5.6-terra", [user("hi"), call, looked]);
  const seen = server.requests.map(({ headers }) => [headers["x-initiator"], headers["copilot-vision-request"]]);
  expect(seen).toEqual([
    ["user", undefined],
    ["agent", undefined],
    ["agent", "true"],
  ]);
});

const answers = [
  {
    message: "prompt token count of 140000 exceeds the limit of 128000",
    type: "model_max_prompt_tokens_exceeded",
    code: "context_overflow",
  },
  { message: "The requested model is not supported.", type: "model_not_supported", code: "unknown_model" },
];
test.each(answers)("“$message” is $code", async ({ message, type, code }) => {
  await using server = await startCopilotServer();
  await using exchange = await startCopilotExchange(() => copilotToken("short-lived", { now: Date.now() }));
  server.script(() => httpError(400, type, message));
  const provider = await copilot({ exchange, own: { baseUrl: server.url } });
  await expect(ask(provider, "gemini-3.8-pro")).rejects.toMatchObject({ code });
});
