import { expect, test } from "vitest";
import { z } from "zod";
import type { Log } from "../../src/core/protocol/log.ts";
import { createLogger } from "../../src/operations/logging.ts";

const SECRET = 'xoxb-"quoted"/secret';

const lineSchema = z.looseObject({ level: z.string(), time: z.iso.datetime(), event: z.string() });

function linesOf(write: (log: Log) => void): { text: string; lines: z.infer<typeof lineSchema>[] } {
  const written: string[] = [];
  const destination = { write: (line: string) => void written.push(line) };
  write(createLogger("info", [SECRET, "abc"], destination));
  return { text: written.join(""), lines: written.map((line) => lineSchema.parse(JSON.parse(line))) };
}

test("a line holds the event, its fields and those of the logger's parents", () => {
  const { lines } = linesOf((log) => log.child({ sessionId: "ses_1" }).info({ turns: 2 }, "run ended"));
  expect(lines).toEqual([expect.objectContaining({ level: "info", event: "run ended", sessionId: "ses_1", turns: 2 })]);
});

test("lines below the level are left out", () => {
  const { lines } = linesOf((log) => {
    log.debug({}, "too fine");
    log.warn({}, "kept");
  });
  expect(lines.map((line) => line.event)).toEqual(["kept"]);
});

test("an error keeps its stack and its cause", () => {
  const error = new Error("outer", { cause: new Error("inner") });
  const { text } = linesOf((log) => log.error({ error }, "failed"));
  expect(text).toContain("logging.test.ts");
  expect(text).toContain("inner");
});

const carriers: { name: string; write: (log: Log) => void }[] = [
  { name: "a field", write: (log) => log.info({ value: SECRET }, "e") },
  { name: "the event", write: (log) => log.info({}, `token ${SECRET}`) },
  { name: "an error's message", write: (log) => log.error({ error: new Error(`bad ${SECRET}`) }, "e") },
  { name: "a URL", write: (log) => log.info({ url: `https://x/?token=${encodeURIComponent(SECRET)}` }, "e") },
  { name: "a child's field", write: (log) => log.child({ deep: { er: [SECRET] } }).info({}, "e") },
];

test.each(carriers)("a secret in $name is hidden", ({ write }) => {
  const { text } = linesOf(write);
  expect(text).toContain("[secret]");
  expect(text).not.toContain("quoted");
});

test("fields that are credentials by name are hidden though nobody listed their value", () => {
  const { text } = linesOf((log) => log.info({ request: { headers: { authorization: "Bearer unlisted" } } }, "e"));
  expect(text).toContain("[secret]");
  expect(text).not.toContain("unlisted");
});

class RequestError extends Error {
  readonly config: object;
  constructor(message: string, config: object) {
    super(message);
    this.config = config;
  }
}

const headers = { Authorization: "Bearer unlisted-1", "x-api-key": "unlisted-2", Accept: "text/plain" };
const request = { url: "https://api.example.com/v1?api_key=unlisted-3&page=2", headers };

/** Secrets in places that no rule names; `kept` is text that must stay readable. */
const shapes: { name: string; write: (log: Log) => void; kept: string }[] = [
  {
    name: "headers deep in fields",
    write: (log) => log.info({ a: { b: { c: { d: request } } } }, "e"),
    kept: "page=2",
  },
  {
    name: "an error's request",
    write: (log) => log.error({ error: new RequestError("no", request) }, "e"),
    kept: "no",
  },
  {
    name: "a cause's request",
    write: (log) => log.error({ error: new Error("outer", { cause: new RequestError("inner", request) }) }, "e"),
    kept: "inner",
  },
  {
    name: "an error that quotes its request",
    write: (log) => log.error({ error: new Error(`refused: ${JSON.stringify(request)}`) }, "e"),
    kept: "refused",
  },
  { name: "raw headers", write: (log) => log.info({ raw: ["Authorization", "Bearer unlisted-1"] }, "e"), kept: "raw" },
  {
    name: "a header in words",
    write: (log) => log.info({}, "sent authorization: Bearer unlisted-1, got 401"),
    kept: "401",
  },
  { name: "an address' token", write: (log) => log.info({ url: "wss://h/?token=unlisted-1&v=4" }, "e"), kept: "v=4" },
  {
    name: "an address' user",
    write: (log) => log.info({ url: "https://u:unlisted-1@host.example/x" }, "e"),
    kept: "host.example",
  },
  {
    name: "an address' only part before @",
    write: (log) => log.info({ url: "https://unlisted-1@host.example/x" }, "e"),
    kept: "host.example",
  },
  {
    name: "a program's flag",
    write: (log) => log.info({}, "spawn npx server --api-key unlisted-1 failed"),
    kept: "failed",
  },
  {
    name: "a program's flag with a sign",
    write: (log) => log.info({ c: "npx server --access-token=unlisted-1 -v" }, "e"),
    kept: "-v",
  },
  {
    name: "fields by other names",
    write: (log) => log.info({ x: { clientSecret: "unlisted-1", access_token: "unlisted-2" } }, "e"),
    kept: "clientSecret",
  },
  { name: "cookies", write: (log) => log.info({ q: { "set-cookie": "unlisted-1" } }, "e"), kept: "cookie" },
];

test.each(shapes)("$name: what is a credential is hidden, and the rest is there", ({ write, kept }) => {
  const { text } = linesOf(write);
  expect(text).not.toContain("unlisted");
  expect(text).toContain(kept);
});

const fields = ["private_key", "privateKey", "passphrase", "secretAccessKey", "aws_secret_access_key", "credentials"];

const runTogether = [
  "PGPASSWORD",
  "dbpassword",
  "authtoken",
  "clientsecret",
  "AccountKey",
  "Ocp-Apim-Subscription-Key",
];

test.each([...fields, ...runTogether, "X-Auth-Key", "GH_PAT", "STRIPE_KEY"])(
  "what stands in the field %s is hidden",
  (name) => {
    const { text } = linesOf((log) => log.info({ env: { [name]: "Unlisted1" }, kept: "there" }, "e"));
    expect(text).toContain(`"${name}":"[secret]"`);
    expect(text).toContain('"kept":"there"');
  },
);

const lists: { name: string; list: object; kept: string }[] = [
  { name: "tokens by their names", list: { tokens: { a: "Unlisted1", b: ["Unlisted2"] }, of: "x" }, kept: "of" },
  { name: "credentials deep within", list: { credentials: { a: { b: { c: "Unlisted1" } } }, of: "x" }, kept: "of" },
  { name: "secrets in a list", list: { clientSecrets: ["Unlisted1", { value: "Unlisted2" }], of: "x" }, kept: "of" },
  { name: "passwords", list: { user_passwords: { ana: "Unlisted1" }, of: "x" }, kept: "of" },
  { name: "one token with its kind", list: { token: { kind: "bot", value: "Unlisted1" }, of: "x" }, kept: "of" },
  { name: "one text of many", list: { apiKeys: "Unlisted1,Unlisted2", of: "x" }, kept: "of" },
  {
    name: "how many tokens",
    list: { tokens: { input: 512, cached: 7 }, maxTokens: "4096" },
    kept: '512,"cached":7},"maxTokens":"4096"',
  },
  { name: "cookies that are set", list: { "set-cookie": ["a=Unlisted1", "b=Unlisted2"] }, kept: "set-cookie" },
  { name: "several authorizations", list: { authorization: ["token Unlisted1"] }, kept: "authorization" },
  { name: "raw headers", list: { raw: ["Authorization", "token Unlisted1", "Accept", "x/y"] }, kept: "x/y" },
  { name: "a flag and its value", list: { args: ["--api-key", "Unlisted1", "-v"] }, kept: "-v" },
  { name: "a flag and a header", list: { args: ["-H", "X-Api-Key: Unlisted1", "-v"] }, kept: "-v" },
  { name: "a long flag and a header", list: { args: ["--header", "Authorization: Unlisted1"] }, kept: "--header" },
];

test.each(lists)("$name: what is a credential is hidden, and the rest is there", ({ list, kept }) => {
  const { text } = linesOf((log) => log.info(list, "e"));
  expect(text).not.toContain("Unlisted");
  expect(text).toContain(kept);
});

test.each([
  "Authorization: Basic Unlisted1== <kept>",
  "authorization: bearer Unlisted1 <kept>",
  "sent BEARER Unlisted1, <kept>",
  "x-api-key: Unlisted1 <kept>",
  "API_KEY=Unlisted1 node <kept>",
  "env: API_KEY=Unlisted <kept>",
  'password="Unlisted 1" <kept>',
  "Cookie: a=Unlisted1; b=Unlisted2\n<kept>",
  '{"token": "Unlisted", "a": "<kept>"}',
  '{"token" : "Un\\"listed", "a": "<kept>"}',
  String.raw`{\"token\": \"Unlisted\", \"a\": \"<kept>\"}`,
  "run --password 'Unlisted 1' <kept>",
  "run --passwd Unlisted <kept>",
  "curl -u me:Unlisted1 <kept>",
  "curl -u 'me:Unlisted1' <kept>",
  'curl --user "me:Unlisted 1" <kept>',
  "curl --user=me:Unlisted1 <kept>",
  "PGPASSWORD=Unlisted psql <kept>",
  "Endpoint=sb://h/;AccountName=<kept>;AccountKey=Unlisted1==",
  "https://h/#access_token=Unlisted&a=<kept>",
  "https://h/?api%5Fkey=Unlisted&a=<kept>",
  "https://h/?auth=Unlisted&pwd=Unlisted&code=Unlisted&key=Unlisted&a=<kept>",
  '{"tokens": {"a": "Unlisted", "b": {"c": ["Unlisted 2"]}}, "a": "<kept>"}',
  String.raw`{\"tokens\":{\"a\":\"Unlisted\"},\"a\":\"<kept>\"}`,
  '{"passwords": ["Unlisted", "Un}listed"], "a": "<kept>"}',
  "secrets=Unlisted,<kept>",
  "https://user:Un/listed@<kept>.example/",
  "https://user:Un#listed?Un@<kept>.example/",
  "https://user:Un@listed@<kept>.example/",
  'https://user:Un"listed@<kept>.example/',
  "https://user:Un listed@<kept>.example/",
  "https://user:Un:8080@<kept>.example/",
  "https://user:80Un/x@<kept>.example/",
  "https://:Un/listed@<kept>.example/",
  "postgresql://us%er:Un%listed/@<kept>.example/x",
  "<kept> https://user:Unlisted@",
  "https://h/?X-Amz-Signature=Unlisted&X-Amz-Credential=Unlisted%2Fx&a=<kept>",
  "<kept> https://hooks.slack.com/services/T0/B0/Unlisted",
  "<kept> https://discord.com/api/webhooks/123/Unlisted",
  "<kept> xoxb-123-456-Unlisted",
  "<kept> sk-ant-api03-Unlisted0123456789",
  "<kept> ghp_Unlisted0123456789",
  "<kept> hf_Unlisted0123456789abcdefghijklmno",
  "<kept> sk-or-v1-Unlisted0123456789abcdefg",
  "-----BEGIN PRIVATE KEY-----\nUnlisted\n-----END PRIVATE KEY----- <kept>",
])("in %s nothing but the credential is hidden", (words) => {
  for (const write of [(log: Log) => log.info({}, words), (log: Log) => log.error({ error: new Error(words) }, "e")]) {
    const { text } = linesOf(write);
    expect(text).not.toContain("Un");
    expect(text).toContain("<kept>");
  }
});

test.each([
  "basic information",
  "Basic Information",
  "slack.botToken: must be a string",
  "SLACK_BOT_TOKEN is not set",
  "--token --verbose",
  "status code=404",
  "npm_config_registry is unset",
  "https://x/?page=2&q=token",
  "12 inputTokens",
  "the token is missing",
  "mail ana@example.com",
  "https://x/a@b",
  "a key=value pair",
  "https://registry.example:4873/@scope/package",
  "http://[::1]:8080/@scope/package",
  "http://127.0.0.1:3000: refused, ask ana@example.com",
  "https://h.example: unknown, ask ana@example.com",
  "maxTokens=4096, tokens: 512",
  "tokens: { input: 512 }",
  "the tokens: a list of them",
  "channelKey=slack:C1",
  "--user ana",
  "ran as -u 1000",
])("%s is nothing to hide", (words) => {
  expect(linesOf((log) => log.info({ words }, "e")).text).toContain(words);
});

test("a secret too short to be one does not tear holes into words", () => {
  expect(linesOf((log) => log.info({}, "abcdef")).lines[0]?.event).toBe("abcdef");
});
