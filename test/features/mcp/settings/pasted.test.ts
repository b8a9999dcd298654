import { expect, test } from "vitest";
import { secretsOf } from "../../../../src/config/describe.ts";
import { mcpSettings } from "../../../../src/features/mcp/feature.ts";
import { serverKey } from "../../../../src/features/mcp/settings/server-key.ts";
import { load, problemsOf } from "../../../support/program/config-sources.ts";
import { BLOCKS } from "./blocks.ts";

function given({ file = {}, env = {} }: { file?: object; env?: Record<string, string> }) {
  return mcpSettings({ file: { ...file }, environment: env });
}

test.each(BLOCKS)("$shape", ({ file, env = {}, server = {}, idle, note }) => {
  const { mcp, notes } = given({ file, env });
  expect(mcp.servers).toMatchObject(server);
  expect(Object.keys(mcp.servers)).toEqual(Object.keys(server));
  expect(mcp.idle.map(({ why }) => why)).toEqual(idle === undefined ? [] : [expect.stringMatching(idle)]);
  expect(notes).toEqual(note === undefined ? [] : [expect.stringMatching(note)]);
});

test("a problem with one server is reported for that server at the start, and the others work", () => {
  const good = { command: "npx" };
  const file = { mcpServers: { a: { url: "https://h/", headers: { K: ["x"] } }, b: good, c: 7, d: { command: "$" } } };
  const { mcp } = given({ file });
  expect(Object.keys(mcp.servers)).toEqual(["b", "d"]);
  expect(mcp.idle).toEqual([
    { name: "a", why: "headers.K: must be a string.", isMistake: true },
    { name: "c", why: "It must be an object.", isMistake: true },
  ]);
  expect(load({ file }).warnings).toEqual([
    "MCP server a: headers.K: must be a string.",
    "MCP server c: It must be an object.",
  ]);
});

test("servers that are not an object are an error in the file", () => {
  expect(problemsOf({ file: { mcpServers: ["npx"] } })).toEqual([
    "deckhand.config.json: mcpServers: must be an object",
  ]);
});

test.each<[string, object, string]>([
  ["no object", { mcp: 5 }, "mcp: must be an object"],
  [
    "a slip",
    { mcp: { servres: { a: { url: "https://x.test/mcp" } } } },
    'mcp.servres: is neither a known key nor a server, which has a `command` or a `url`. Did you mean "servers"?',
  ],
])("a value under mcp that is %s is an error in the file", (...[, file, problem]) => {
  expect(problemsOf({ file })).toEqual([`deckhand.config.json: ${problem}`]);
});

const wrong: { what: string; server: object; why: RegExp }[] = [
  {
    what: "an unknown permission",
    server: { tools: { a: { permission: "all" } } },
    why: /tools\.a\.permission: must be/,
  },
  {
    what: "an unknown key of a tool",
    server: { tools: { a: { permision: "read" } } },
    why: /Did you mean "permission"/,
  },
  { what: "a time limit of nothing", server: { timeoutMs: 0 }, why: /timeoutMs: must be at least 1/ },
  { what: "an address beside the program", server: { url: "https://h/" }, why: /either/ },
];

test.each(wrong)("$what is an error of the server", ({ server, why }) => {
  const { mcp } = given({ file: { mcpServers: { docs: { command: "x", ...server } } } });
  expect(mcp.idle).toEqual([{ name: "docs", why: expect.stringMatching(why), isMistake: true }]);
});

const references: { text: string; becomes: string }[] = [
  { text: "${TOKEN}", becomes: "t-${OTHER}" },
  { text: "a ${OTHER} b ${env:OTHER}", becomes: "a no b no" },
  { text: "${NONE:-x}${env:NONE:-y}${OTHER:-z}", becomes: "xyno" },
  { text: "${NONE:-${OTHER}}", becomes: "no" },
  { text: "${NONE:-}", becomes: "" },
  { text: "$fast ${} ${a b} ${", becomes: "$fast ${} ${a b} ${" },
  { text: "a${/}b", becomes: "a/b" },
];

test.each(references)(
  "$text becomes $becomes in every place, and what came in is not looked at again",
  ({ text, becomes }) => {
    const program = { command: `/${text}`, args: [text], cwd: `/${text}`, env: { A: text } };
    const address = { url: `https://h/?q=${text}`, headers: { A: text } };
    const { mcp } = given({ env: { TOKEN: "t-${OTHER}", OTHER: "no" }, file: { mcpServers: { program, address } } });
    expect(mcp.servers["address"]).toMatchObject({ url: `https://h/?q=${becomes}`, headers: { A: becomes } });
    if (becomes !== "") {
      expect(mcp.servers["program"]).toEqual({
        command: `/${becomes}`,
        args: [becomes],
        cwd: `/${becomes}`,
        env: { A: becomes },
      });
    }
  },
);

test("a name keeps its key whatever other names exist, and no two names share one", () => {
  const names = [
    "docs",
    "my_docs-2",
    "my__docs",
    "docs_",
    "a b",
    "a-b",
    "a.b",
    "n".repeat(24),
    "n".repeat(25),
    "文件",
    "資料",
  ];
  const keys = names.map(serverKey);
  expect(new Set(keys).size).toBe(names.length);
  expect(keys.filter((key) => !/^[A-Za-z0-9-]+(_[A-Za-z0-9-]+)*$/.test(key) || key.length > 24)).toEqual([]);
  expect(keys.filter((key, index) => key === names[index])).toEqual(["docs", "my_docs-2", "a-b", "n".repeat(24)]);
});

test("values from references and in addresses are secrets", () => {
  const env = { TOKEN: "tok-123456", HOME: "/home/ana" };
  const file = {
    mcpServers: {
      a: { command: "a", args: ["--key=${TOKEN}", "${HOME}"] },
      b: { url: "https://h/?api_key=in-address" },
    },
  };
  expect(secretsOf(load({ env, file })).toSorted()).toEqual(["in-address", "tok-123456"]);
});

const secretArguments: { args: readonly string[]; secrets: readonly string[] }[] = [
  { args: ["--api-key", "s-1234567"], secrets: ["s-1234567"] },
  { args: ["--passphrase=s-1234567", "-v"], secrets: ["s-1234567"] },
  { args: ["-H", "X-Api-Key: s-1234567"], secrets: ["s-1234567"] },
  { args: ["--header", "Authorization: Bearer s-1234567"], secrets: ["Bearer s-1234567", "s-1234567"] },
  { args: ["--header=X-Auth-Token: s-1234567"], secrets: ["s-1234567"] },
  { args: ["-e", "API_KEY=s-1234567"], secrets: ["s-1234567"] },
  { args: ["https://h/sse#access_token=s-1234567"], secrets: ["s-1234567"] },
  { args: ["-H", "Accept: text/plain", "--port", "80", "LANG=en"], secrets: [] },
];

test.each(secretArguments)("the arguments $args contain the secrets $secrets", ({ args, secrets }) => {
  const file = { mcpServers: { a: { command: "a", args } } };
  expect(secretsOf(load({ file })).toSorted()).toEqual(secrets);
});

test("a program gets only what it needs to run from our environment, and no keys", () => {
  const env = { PATH: "/bin", HOME: "/home/a", ANTHROPIC_API_KEY: "sk", NODE_OPTIONS: "x" };
  expect(given({ env }).mcp.environment).toEqual({ PATH: "/bin", HOME: "/home/a" });
});
