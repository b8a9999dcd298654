import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { expect, onTestFinished, test } from "vitest";
import { checkKeys } from "../../src/cli/doctor/check-keys.ts";
import { startAnthropicServer } from "../support/model/anthropic-server.ts";
import { runCli } from "../support/program/cli.ts";
import { load } from "../support/program/config-sources.ts";
import { VALID } from "../tools/network/certificates.ts";
import { listening } from "../tools/network/fetch-session.ts";

/** The lines about providers, and whether the command failed. */
async function online(env: Readonly<Record<string, string>>): Promise<{ lines: string[]; failed: boolean }> {
  const { out, failed } = await runCli(["doctor", "--online"], { env: { PORT: "0", ...env } });
  return {
    lines: out.split("\n").filter((line) => /^. (Anthropic|OpenAI|OpenRouter|no provider)/u.test(line)),
    failed,
  };
}

/** How the stand-in for a provider behaves. */
interface Rules {
  readonly key?: string;
  /** Whether it lists its models without a valid key. */
  readonly openList?: boolean;
  readonly models?: readonly string[];
  /** Models that it answers for although they are not in its list. */
  readonly knows?: readonly string[];
}

async function provider(rules: Rules): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  const url = await serve((request, response) => {
    const path = new URL(request.url ?? "/", "http://h").pathname;
    asked.push(`${request.method} ${path}`);
    const isList = request.method === "GET";
    const hasKey = rules.key === undefined || request.headers.authorization === `Bearer ${rules.key}`;
    const send = (status: number, body: object) => {
      response.writeHead(status, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    };
    if (!hasKey && !(isList && rules.openList === true)) return send(401, { error: { message: "invalid api key" } });
    const models = rules.models ?? ["m-1", "m-2"];
    if (isList) return send(200, { object: "list", data: models.map((id) => ({ id, object: "model" })) });
    return answer({ request, response, known: [...models, ...(rules.knows ?? [])] });
  });
  return { url, asked };
}

interface Asked {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly known: readonly string[];
}

function answer({ request, response, known }: Asked): void {
  let body = "";
  request.on("data", (chunk) => {
    body += String(chunk);
  });
  request.on("end", () => {
    const { model }: { model: string } = JSON.parse(body);
    if (!known.includes(model)) {
      response.writeHead(404, { "content-type": "application/json" });
      return response.end(JSON.stringify({ error: { message: `no such model ${model}`, code: "model_not_found" } }));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const chunk = (delta: object, reason: string | null) => ({
      id: "1",
      object: "chat.completion.chunk",
      created: 1,
      model,
      choices: [{ index: 0, delta, finish_reason: reason }],
    });
    const events = [chunk({ role: "assistant", content: "yes" }, null), chunk({}, "stop")];
    return response.end(`${events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("")}data: [DONE]\n\n`);
  });
}

async function serve(handle: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}/v1`;
}

const openRouter = (url: string, key = "right") => ({ OPENROUTER_API_KEY: key, OPENROUTER_BASE_URL: url });

test("each provider with a key gets a line with the outcome, and a model is called only if the list does not check the key", async () => {
  const good = await provider({ key: "right" });
  const strict = await provider({ key: "another" });
  const { lines, failed } = await online({
    ...openRouter(good.url),
    DECKHAND_MODEL: "openrouter/m-1",
    OPENAI_API_KEY: "wrong",
    OPENAI_BASE_URL: strict.url,
    ANTHROPIC_API_KEY: "k",
    ANTHROPIC_BASE_URL: "http://127.0.0.1:1",
  });
  expect(lines.toSorted()).toEqual([
    "✓ OpenRouter: it accepts the key (OPENROUTER_API_KEY); it lists 2 models.",
    "✗ Anthropic: no network: it cannot be reached. Check the network or the base URL.",
    "✗ OpenAI: refused (HTTP 401): it does not accept the key. Check OPENAI_API_KEY.",
  ]);
  expect(failed).toBe(true);
  expect(good.asked.filter((line) => line.startsWith("POST"))).toEqual([]);
});

test("Anthropic is checked through its own SDK like the others, and success is no failure", async () => {
  const server = await startAnthropicServer();
  onTestFinished(() => server.close());
  const env = { ANTHROPIC_API_KEY: "k", ANTHROPIC_BASE_URL: server.url, DECKHAND_MODEL: "anthropic/claude-sonnet-5-5" };
  expect(await online(env)).toEqual({
    failed: false,
    // A list that is open to everybody says nothing about the key, so the model has to answer.
    lines: ["✓ Anthropic: it accepts the key (ANTHROPIC_API_KEY); it lists 3 models, and claude-sonnet-5-5 answers."],
  });
});

test("a model list that is open to everybody does not verify the key, so a model is called", async () => {
  const open = await provider({ key: "right", openList: true });
  const model = { DECKHAND_MODEL: "openrouter/m-1" };
  expect((await online({ ...openRouter(open.url), ...model })).lines).toEqual([
    "✓ OpenRouter: it accepts the key (OPENROUTER_API_KEY); it lists 2 models, and m-1 answers.",
  ]);
  expect(await online({ ...openRouter(open.url, "wrong"), ...model })).toEqual({
    failed: true,
    lines: ["✗ OpenRouter: refused (HTTP 401): it does not accept the key. Check OPENROUTER_API_KEY."],
  });
});

test("a configured model missing from the list is tried: an alias works, an unknown one is named", async () => {
  const server = await provider({ key: "right", knows: ["alias"] });
  expect(await online({ ...openRouter(server.url), DECKHAND_MODEL: "openrouter/alias" })).toEqual({
    failed: false,
    lines: ["✓ OpenRouter: it accepts the key (OPENROUTER_API_KEY); it lists 2 models, and alias answers."],
  });
  expect(await online({ ...openRouter(server.url), DECKHAND_MODEL: "openrouter/gone" })).toEqual({
    failed: true,
    lines: ["✗ OpenRouter: it does not know the model gone (HTTP 404). Correct `model` or `fallbackModel`."],
  });
});

test("an unresponsive provider times out, and does not delay the others", async () => {
  const silent = await serve(() => {});
  const good = await provider({ key: "right" });
  const env = {
    ...openRouter(good.url),
    OPENAI_API_KEY: "k",
    OPENAI_BASE_URL: silent,
    DECKHAND_MODEL: "openrouter/m-1",
  };
  const findings = await checkKeys(load({ env }), 1_500);
  expect(findings.map(({ ok, text }) => `${ok} ${text}`).toSorted()).toEqual([
    "false OpenAI: no answer within 1.5 s.",
    "true OpenRouter: it accepts the key (OPENROUTER_API_KEY); it lists 2 models.",
  ]);
});

test("a certificate that nobody here trusts, as behind a proxy that intercepts TLS, is named with the remedy", async () => {
  const server = createSecureServer({ ...VALID }, (_request, response) => response.end());
  const { port } = await listening(server, "127.0.0.1", 0);
  const { lines } = await online({ OPENAI_API_KEY: "k", OPENAI_BASE_URL: `https://127.0.0.1:${port}/v1` });
  expect(lines).toEqual([
    "✗ OpenAI: no network: it cannot be reached: its certificate is not trusted here: add its authority's certificate in NODE_EXTRA_CA_CERTS (DEPTH_ZERO_SELF_SIGNED_CERT).",
  ]);
});

test("without --online keys are not tested, and without any key there is nothing to test", async () => {
  const server = await provider({ key: "right" });
  const { out } = await runCli(["doctor"], {
    env: { PORT: "0", ...openRouter(server.url), DECKHAND_MODEL: "demo/scripted" },
  });
  expect(out).not.toContain("accepts the key");
  expect(server.asked).toEqual([]);
  expect((await online({})).lines).toEqual(["⚠ no provider has a key, so none is tested"]);
});
