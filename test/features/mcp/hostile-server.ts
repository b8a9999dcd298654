import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/**
 * An MCP server over stdio, written without an SDK so that it can misbehave. The first argument selects its behaviour
 * as a process, the tool that within a call. It loads no packages, because most tests start it anew.
 */

const behaviour = process.argv[2] ?? "plain";
if (behaviour === "exit") process.exit(7);
if (behaviour === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 60_000);
}

type Id = number | string;

interface Request {
  readonly id?: Id;
  /** Absent in an answer to the server's own request. */
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const object = { type: "object", properties: {} };
const long = "long_".repeat(20);
const deep = (levels: number): object => (levels === 0 ? {} : { type: "object", properties: { a: deep(levels - 1) } });

let tools: unknown[] = [
  {
    name: "echo",
    description: "Says it again.",
    annotations: { readOnlyHint: true },
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      properties: {
        text: { type: "string", description: "What to say.", minLength: 2, pattern: "^(a+)+$" },
        pattern: { $ref: "#/$defs/word" },
      },
      required: ["text"],
      additionalProperties: false,
      $defs: { word: { type: "string", enum: ["x", "y"] } },
    },
  },
  ...[
    "environment",
    "never",
    "crash",
    "flood",
    "huge",
    "garbage",
    "much",
    "odd",
    "change",
    "family",
    "fail",
    "structured",
    "summary",
    "loose",
    "nag",
    "deaf",
  ].map((name) => ({ name, inputSchema: object })),
  { name: "wordy", description: `\u001b[31m${"w".repeat(20_000)}`, inputSchema: object },
  { name: "hidden\u202e text", description: "Hid\u200bden\u0000.", inputSchema: object },
  { name: "nulls", description: null, title: null, annotations: null, _meta: null, inputSchema: object },
  { name: "a.b", description: "dot", inputSchema: object },
  { name: "a:b", description: "colon", inputSchema: object },
  { name: `${long}1`, inputSchema: object },
  { name: `${long}2`, inputSchema: object },
  { name: "echo", description: "An impostor.", inputSchema: object },
  { name: "bad_text", inputSchema: "nonsense" },
  { name: "bad_type", inputSchema: { type: "object", properties: { a: { type: "strnig" } } } },
  { name: "bad_array", inputSchema: { type: "array" } },
  { name: "bad_choice", inputSchema: { type: "object", anyOf: [{ required: ["a"] }] } },
  { name: "bad_pattern", inputSchema: { type: "object", properties: { a: { type: "string", pattern: "(" } } } },
  { name: "bad_ref", inputSchema: { type: "object", properties: { a: { $ref: "https://example.com/x" } } } },
  { name: "bad_local_ref", inputSchema: { type: "object", properties: { a: { $ref: "#/$defs/none" } } } },
  { name: "bad_key", inputSchema: { type: "object", properties: { "a key": {} } } },
  {
    name: "bad_twice",
    inputSchema: { type: "object", properties: { a: { $id: "one", type: "string" }, b: { $id: "one" } } },
  },
  { name: "large", description: "l".repeat(14_000), inputSchema: { type: "object", description: "d".repeat(90_000) } },
  { name: "bad_depth", inputSchema: deep(500) },
  { name: "bad_size", inputSchema: { type: "object", description: "d".repeat(150_000) } },
  { description: "No name.", inputSchema: object },
  "no tool at all",
];
// In the newer revision, the SDK validates a list of tools as a whole.
if (behaviour === "modern") tools = tools.slice(0, 1);
if (behaviour === "crowd") tools = Array.from({ length: 5_000 }, (_, i) => ({ name: `tool${i}`, inputSchema: object }));

const prompts = [{ name: "p", description: "d".repeat(9_000) }, { name: "p and q" }];

if (behaviour === "banner") process.stdout.write("Hostile 1.0 [ready]> ");

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} }: Request = JSON.parse(line);
  if (behaviour === "silent" || id === undefined) return;
  if (method === undefined) return answered();
  const serverInfo = { name: "hostile", version: "1" };
  const capabilities = { tools: { listChanged: true }, resources: {}, prompts: {} };
  if (behaviour === "modern" && method === "initialize") send({ id, error: { code: -32_601, message: "too old" } });
  else if (method === "server/discover" && behaviour === "modern") {
    reply(id, { supportedVersions: ["2026-07-28"], capabilities, serverInfo });
  } else if (method === "initialize" && behaviour === "sloppy") {
    reply(id, { protocolVersion: params["protocolVersion"], capabilities: {}, instructions: null });
  } else if (method === "initialize") {
    reply(id, { protocolVersion: params["protocolVersion"], capabilities, serverInfo });
  } else if (method === "tools/list") listTools(id, params);
  else if (method === "tools/call") call(id, String(params["name"]), params["arguments"]);
  else if (method === "resources/list")
    reply(id, { resources: [{ uri: "mem://\u202ea", name: "A\nB" }], nextCursor: "more" });
  else if (method === "resources/templates/list") reply(id, { resourceTemplates: [] });
  else if (method === "prompts/list") reply(id, { prompts });
  else if (method === "prompts/get") gives(id, String(params["name"]));
  else if (method === "ping") reply(id, {});
  else send({ id, error: { code: -32_601, message: `no ${method}` } });
});

function gives(id: Id, name: string): void {
  reply(id, { messages: [{ role: "user", content: { type: "text", text: `This is ${name}.` } }] });
}

/** Lists tools; the pages of a crowd never end. */
function listTools(id: Id, { cursor }: Record<string, unknown>): void {
  if (behaviour === "crowd") reply(id, { tools, nextCursor: `${String(cursor)}x` });
  else reply(id, behaviour === "modern" ? { tools } : { tools, nextCursor: null });
}

function call(id: Id, name: string, input: unknown): void {
  switch (name) {
    case "echo":
    case "bad_key":
      return says(id, JSON.stringify(input));
    case "environment":
      return says(id, JSON.stringify(process.env));
    case "never":
      process.stderr.write("called\n");
      return;
    case "crash":
      process.stderr.write("secret-in-stderr\n");
      process.exit(3);
      break;
    case "flood":
      for (let i = 0; i < 10_000; i++) send({ method: "notifications/message", params: { level: "info", data: i } });
      return says(id, "after the flood");
    case "huge":
      return says(id, "h".repeat(12_000_000));
    case "garbage":
      for (let i = 0; i < 10_000; i++)
        process.stdout.write(i % 2 === 0 ? "{ no json\n" : '{"json":"but no message"}\n');
      return says(id, "after the garbage");
    case "much":
      return reply(id, { content: Array.from({ length: 60 }, () => ({ type: "text", text: "m".repeat(5_000) })) });
    case "odd":
      return reply(id, { content: oddContent() });
    case "nulls": {
      const resource = { uri: "mem://a", mimeType: null, text: "readable", blob: null, _meta: null };
      const content = [{ type: "resource", annotations: null, resource }];
      return reply(id, { content, structuredContent: null, isError: null });
    }
    case "structured":
      return reply(id, { structuredContent: { degrees: 21 } });
    case "summary":
      return reply(id, { content: [{ type: "text", text: "Found 2 issues." }], structuredContent: ISSUES });
    case "loose":
      return reply(id, { content: looseContent(), isError: "true" });
    case "fail":
      return send({ id, error: { code: -32_000, message: `it broke\u0000 ${"b".repeat(9_000)}` } });
    case "change":
      tools = [{ name: "new", inputSchema: object }];
      for (let i = 0; i < 1_000; i++) send({ method: "notifications/tools/list_changed" });
      return says(id, "changed");
    case "nag":
      nagging = { id, left: NAGS };
      for (let i = 0; i < NAGS; i++) send({ id: `nag-${i}`, method: "elicitation/create", params: FORM });
      return;
    case "deaf":
      return interrupt();
    case "family": {
      const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "inherit" });
      return says(id, String(child.pid));
    }
    default:
      return send({ id, error: { code: -32_602, message: `Unknown tool ${name}` } });
  }
}

const NAGS = 100;
const FORM = { message: "Well?", requestedSchema: object };
let nagging: { id: Id; left: number } | null = null;

function answered(): void {
  if (nagging === null) return;
  nagging.left -= 1;
  if (nagging.left === 0) says(nagging.id, `${NAGS} answers`);
}

/** Sends requests without end, and reads no answers. */
function interrupt(): void {
  process.stdin.pause();
  const asked = `${JSON.stringify({ jsonrpc: "2.0", id: "x".repeat(100_000), method: "ping" })}\n`;
  while (process.stdout.write(asked)) {}
  process.stdout.once("drain", interrupt);
}

const ISSUES = {
  issues: [
    { key: "AB-1", title: "Sails “torn”\n" },
    { key: "AB-2", title: "Rudder stuck" },
  ],
};

function looseContent(): unknown[] {
  return [
    "a text alone",
    { text: "a text without its kind" },
    { type: "text", text: { degrees: 21 } },
    { type: "text", text: null },
    { type: "image", data: "data:image/png;base64,iVBORw0K\nGgo=\n", mimeType: "image/png" },
    { type: "image", data: "/9j/4AAQSkZJRgABAQ==", mimeType: "image/jpg" },
    { type: "image", data: "/9j/4AAQSkZJRgABAQ==", mimeType: "image/png" },
    { type: "resource_link", uri: "mem://far" },
    { type: "resource", resource: { text: "readable" } },
  ];
}

function oddContent(): unknown[] {
  const pixel = "iVBORw0KGgo=";
  return [
    { type: "image", data: pixel, mimeType: "image/png" },
    { type: "image", data: "AAABAAEA", mimeType: "image/x-icon" },
    { type: "image", data: "not base64!", mimeType: "image/png" },
    { type: "image", data: "A".repeat(6_000_000), mimeType: "image/png" },
    { type: "audio", data: pixel, mimeType: "audio/wav" },
    { type: "resource", resource: { uri: "mem://text", mimeType: "text/plain", text: "readable" } },
    { type: "resource", resource: { uri: "mem://pdf", mimeType: "application/pdf", blob: "AAABAAEA" } },
    { type: "resource_link", uri: "mem://far", name: "far" },
    { type: "hologram" },
    null,
  ];
}

function says(id: Id, text: string): void {
  reply(id, { content: [{ type: "text", text }] });
}

function reply(id: Id, result: object): void {
  if (behaviour === "sloppy") {
    process.stdout.write("answering: ");
    return send({ id, result: { ...result, _meta: null, nextCursor: "" }, error: null, took: 3 });
  }
  send({
    id,
    result: behaviour === "modern" ? { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result } : result,
  });
}

function send(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}
