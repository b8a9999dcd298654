import { mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { componentEmbed, componentNew, parse } from "@bytecodealliance/jco";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { deferTools } from "../../../src/core/context/deferred-tools.ts";
import { createExtensions } from "../../../src/features/extensions/extensions.ts";
import { extensionProblems } from "../../../src/features/extensions/load-extensions.ts";
import { silentLog } from "../../support/silent-log.ts";
import { toolContext } from "../../support/tool-context.ts";
import { extensionSession, fixture, useExtensionSandbox } from "./extension-session.ts";

const place = useExtensionSandbox({ ownBindings: true });

const unsound = [
  {
    name: "an unknown field",
    manifest: { colour: "red" },
    says: 'tool.json is not valid: Unrecognized key: "colour".',
  },
  { name: "no description", manifest: { description: undefined }, says: "description: " },
  { name: "a name that no model can call", manifest: { name: "a tool" }, says: "name: must be a letter, then letters" },
  {
    name: "the name of an MCP server's tool",
    manifest: { name: "mcp__docs__search" },
    says: "must not begin with mcp__",
  },
  {
    name: "a component path outside its folder",
    manifest: { component: "../x.wasm" },
    says: "component: must be a file name that ends in .wasm",
  },
  { name: "a component that is missing", manifest: { component: "x.wasm" }, says: "x.wasm does not exist." },
  {
    name: "an invalid input schema",
    manifest: { input: { type: "object", properties: { a: { type: "texte" } } } },
    says: "the input schema in tool.json is not valid: Unsupported type: texte.",
  },
  { name: "an input that is no object", manifest: { input: { type: "string" } }, says: "input.type: " },
  {
    name: "an invalid host",
    manifest: { hosts: ["https://example.org/"] },
    says: "hosts.0: must be a host as in allowedHosts, such as api.example.com.",
  },
  {
    name: "two hosts in one entry",
    manifest: { hosts: ["a.example,b.example"] },
    says: "hosts.0: must be a host as in allowedHosts, such as api.example.com.",
  },
  {
    name: "more hosts than cards can show",
    manifest: { hosts: Array.from({ length: 21 }, (_, index) => `${index}.example`) },
    says: "hosts: Too big: expected array to have <=20 items.",
  },
  { name: "too much time", manifest: { limits: { timeoutMs: 6_000_000 } }, says: "limits.timeoutMs: " },
  { name: "a replay that is none", manifest: { afterCrash: "reconcile" }, says: "afterCrash: " },
  { name: "another hash", manifest: { sha256: "0".repeat(64) }, says: `but tool.json says ${"0".repeat(64)}.` },
  {
    name: "arguments for a component that accepts none",
    manifest: { world: "deckhand:extension" },
    says: "tool.json is not valid: arguments may only be used with the world wasi:cli/run.",
  },
  {
    name: "a component of another world than its manifest states",
    manifest: { world: "deckhand:extension", arguments: undefined },
    says: "the component does not implement the world deckhand:extension: it does not export deckhand:extension/tool@0.1.0, but wasi:cli/run@0.2.12.",
  },
];

test.each(unsound)("an extension with $name is refused, and the others load", async ({ manifest, says }) => {
  const session = extensionSession(place);
  session.add("sound");
  session.add("unsound", manifest);
  const { tools, problems } = await session.load();
  expect(tools.map(({ name }) => name)).toEqual(["sound"]);
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(path.join(session.tools, "unsound"));
  expect(problems[0]).toContain(says);
});

/** A program that would open connections. */
async function withSockets(): Promise<Uint8Array> {
  const witSource = `package test:test@0.1.0;
    world program { import wasi:sockets/instance-network@0.2.0; export wasi:cli/run@0.2.0; }
    package wasi:sockets@0.2.0 { interface instance-network { open: func() -> u32; } }
    package wasi:cli@0.2.0 { interface run { run: func() -> result; } }`;
  const binary = await parse(`(module
    (import "wasi:sockets/instance-network@0.2.0" "open" (func $open (result i32)))
    (memory (export "memory") 1)
    (func (export "wasi:cli/run@0.2.0#run") (result i32) (drop (call $open)) (i32.const 0)))`);
  return componentNew(await componentEmbed({ binary, witSource, world: "program" }), []);
}

const components = [
  { name: "a core module", make: () => parse("(module)"), says: "the file is a core module, not a component" },
  { name: "anything else", make: () => Buffer.from("#!/bin/sh"), says: "the file is not a WebAssembly component" },
  {
    name: "a damaged component",
    make: () => fixture("count.wasm").slice(0, 9_000),
    says: "bindings for the component cannot be generated: ",
  },
  {
    name: "a component with an unsupported import",
    make: withSockets,
    says: "the component imports interfaces that wasi:cli/run does not provide: wasi:sockets/instance-network.",
  },
];

test.each(components)("$name in place of a component is refused", async ({ make, says }) => {
  const session = extensionSession(place);
  session.add("unsound", {}, Uint8Array.from(await make()));
  const { tools, problems } = await session.load();
  expect(tools).toEqual([]);
  expect(problems.join()).toContain(says);
});

test("an extension whose name is used by a native tool or an earlier extension is refused", async () => {
  const session = extensionSession(place);
  session.add("read");
  session.add("one", { name: "same" });
  session.add("two", { name: "same" });
  const { tools, problems } = await session.load(["read"]);
  expect(tools.map(({ name }) => name)).toEqual(["same"]);
  expect(problems).toEqual([
    `${path.join(session.tools, "read")}: another tool is already named read.`,
    `${path.join(session.tools, "two")}: another tool is already named same.`,
  ]);
});

test("a folder without a valid tool.json is refused; files, hidden folders and a missing directory are ignored", async () => {
  const session = extensionSession(place);
  expect(await session.load()).toEqual({ tools: [], problems: [] });
  mkdirSync(path.join(session.tools, "empty"), { recursive: true });
  mkdirSync(path.join(session.tools, ".hidden"));
  mkdirSync(path.join(session.tools, "slip"));
  writeFileSync(path.join(session.tools, "slip/tool.json"), '{ "name": "slip", }');
  writeFileSync(path.join(session.tools, "README.md"), "");
  const { problems } = await session.load();
  expect(problems).toEqual(await extensionProblems(session.tools));
  expect(problems).toEqual([
    `${path.join(session.tools, "empty")}: ${path.join(session.tools, "empty/tool.json")} does not exist.`,
    `${path.join(session.tools, "slip")}: tool.json is not valid JSON.`,
  ]);
});

test("a tool whose input schema providers refuse is reported and not offered to models", async () => {
  const session = extensionSession(place);
  session.add("either", { input: { type: "object", anyOf: [{ required: ["a"] }, { required: ["b"] }] } });
  session.add("sound");
  const { tools } = await session.load();
  expect(deferTools(tools).map(({ name }) => name)).toEqual(["sound"]);
});

test("a tool has the properties that its manifest states", async () => {
  const session = extensionSession(place);
  session.add("count", { parallel: true, afterCrash: "replay", permission: "execute" });
  const [tool] = (await session.load()).tools;
  expect(tool).toMatchObject({ name: "count", permission: "execute", parallel: true, afterCrash: "replay" });
  expect(tool?.grant({ file: "a" })).toEqual({ key: "extension:count", label: "using the tool count" });
  expect(z.toJSONSchema(tool?.input ?? z.never(), { io: "input" })).toMatchObject({
    type: "object",
    properties: { file: { type: "string" } },
  });
});

const reaches = [
  { permission: "none", readOnly: false, says: "no files" },
  { permission: "read", readOnly: false, says: "may read files in the sandbox of this channel" },
  { permission: "write", readOnly: false, says: "may change files in the sandbox of this channel" },
  { permission: "write", readOnly: true, says: "may read files in the sandbox of this channel" },
];

test.each(reaches)(
  "the approval card of a tool with permission $permission, read-only $readOnly, says: $says",
  async ({ permission, readOnly, says }) => {
    const session = extensionSession(place);
    session.add("count", { permission, limits: { timeoutMs: 5_000 } });
    const [tool] = (await session.load()).tools;
    const ctx = toolContext({ sandboxRoot: session.root, readOnly });
    expect(await tool?.preview?.({ file: "a" }, ctx, new AbortController().signal)).toEqual({
      question: "Use the tool count?",
      language: "json",
      text: '{\n  "file": "a"\n}',
      reach: `a component from extensions · ${says} · no network · 5 s · 64 MB`,
    });
  },
);

test("bindings are generated once per component", async () => {
  const session = extensionSession(place);
  session.add("count");
  await session.load();
  const made = (): string[] =>
    readdirSync(place.cacheDir).map((name) => `${name} ${statSync(path.join(place.cacheDir, name)).ino}`);
  const before = made();
  session.add("other");
  await session.load();
  expect(made()).toEqual(before);
});

test("a tool whose bindings are being generated says so and becomes available; cached bindings are reused", async () => {
  const session = extensionSession(place);
  session.add("count");
  const making = vi.fn();
  const bindings = { cacheDir: path.join(session.root, "bindings"), making };
  const sources = { directories: [session.tools], bindings, sandbox: place.sandbox, reserved: new Set<string>() };
  const extensions = createExtensions(sources, silentLog);
  const loading = extensions.load();
  await vi.waitUntil(() => extensions.missing("count") !== null);
  expect(extensions.missing("count")).toContain("count is being prepared for its first use");
  expect(extensions.missing("other")).toBeNull();
  await loading;
  expect(extensions.missing("count")).toBeNull();
  expect(extensions.tools().map(({ name }) => name)).toEqual(["count"]);
  await createExtensions(sources, silentLog).load();
  expect(making).toHaveBeenCalledTimes(1);
});

test("a directory that cannot be read is reported, like a component that is missing", async () => {
  const session = extensionSession(place);
  session.add("lost", { component: "gone.wasm" });
  const lost = path.join(session.tools, "lost");
  expect(await extensionProblems(session.tools)).toEqual([`${lost}: ${path.join(lost, "gone.wasm")} does not exist.`]);
  rmSync(session.tools, { recursive: true });
  writeFileSync(session.tools, "");
  const problems = [`${session.tools}: cannot be read (ENOTDIR). Give this user permission to read it.`];
  expect(await session.load()).toEqual({ tools: [], problems });
  expect(await extensionProblems(session.tools)).toEqual(problems);
});
