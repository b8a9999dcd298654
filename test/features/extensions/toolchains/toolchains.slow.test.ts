import { truncateSync } from "node:fs";
import path from "node:path";
import { text as bodyOf } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import { textOf } from "../../../../src/core/protocol/messages.ts";
import { exceptPublic, PUBLIC, type Site, startSite } from "../../../tools/network/fetch-session.ts";
import { componentOf, extensionSession, fixture, useExtensionSandbox } from "../extension-session.ts";
import { quickJsWithHttp, rustModule, rustProgram, starlingComponent, webFetchProgram } from "./components.ts";

const place = useExtensionSandbox({
  network: { isForbiddenAddress: exceptPublic, resolve: () => Promise.resolve([PUBLIC]) },
});

const ANY = { type: "object" };
const TOOL = { world: "deckhand:extension", arguments: undefined, input: ANY };
const PROGRAM = { arguments: ["{arguments}"], input: ANY };
const LARGE = { limits: { memoryMb: 128 } };

/** How each toolchain's component is declared. */
const MANIFESTS = {
  QuickJS: TOOL,
  "QuickJS, online": { ...TOOL, permission: "none" },
  StarlingMonkey: { ...TOOL, ...LARGE },
  "StarlingMonkey, a program": { ...PROGRAM, ...LARGE },
  Rust: PROGRAM,
  "Rust, in 16 MB": { ...PROGRAM, limits: { memoryMb: 16 } },
  WAT: PROGRAM,
  "WAT, online": { ...PROGRAM, permission: "none" },
};
type Toolchain = keyof typeof MANIFESTS;

/** StarlingMonkey takes 25 s of a processor, once: it is compiled to run when the component is made. */
const COLD_MS = 600_000;

const components = new Map<Toolchain, Uint8Array>();

beforeAll(async () => {
  const [starling, rust] = await Promise.all([starlingComponent(), rustProgram()]);
  components.set("QuickJS", await componentOf("probe.mjs", "component"));
  components.set("QuickJS, online", await componentOf("online.mjs", "online-isolated-component"));
  components.set("StarlingMonkey", starling).set("StarlingMonkey, a program", starling);
  components.set("Rust", rust).set("Rust, in 16 MB", rust);
  components.set("WAT", fixture("count.wasm")).set("WAT, online", await webFetchProgram());
}, COLD_MS);

/** A site that answers with the request. */
function startEcho(): Promise<Site> {
  return startSite((request, response) => {
    bodyOf(request).then(
      (body) => response.end(`${request.method} ${request.url} ${body}`),
      () => response.destroy(),
    );
  });
}

/** The reason why a host is not reached, in the words of the bot. */
const REFUSED = "is not among the hosts of this call: page.example:";

interface Cell {
  readonly with: Toolchain;
  readonly what: string;
  readonly input: (port: string) => object;
  readonly fails?: true;
  readonly says: readonly string[];
}

const given = (...given: string[]) => ({ arguments: given });

const WITHOUT_NETWORK: readonly Cell[] = [
  { with: "QuickJS", what: "reads a file", input: () => ({ deed: "read", path: "a.txt" }), says: ["one\ntwo"] },
  { with: "StarlingMonkey", what: "answers", input: () => ({ deed: "shout", on: "ahoy" }), says: ["AHOY"] },
  { with: "StarlingMonkey, a program", what: "reads a file", input: () => given("count", "a.txt"), says: ["7 bytes"] },
  { with: "Rust", what: "searches files", input: () => given("tw", "src"), says: ["src/a.txt:two"] },
  { with: "WAT", what: "reads a file", input: () => given("a.txt"), says: ["1 7"] },
];

const ALLOWED_HOST: readonly Cell[] = [
  {
    with: "QuickJS, online",
    what: "fetches by deckhand:extension/http",
    input: (port) => ({ url: `http://page.example:${port}/x` }),
    says: ['"status":200', "GET /x"],
  },
  {
    with: "StarlingMonkey",
    what: "fetches",
    input: (port) => ({ deed: "ask", on: `http://page.example:${port}/x` }),
    says: ["200 GET /x"],
  },
  {
    with: "StarlingMonkey",
    what: "posts",
    input: (port) => ({ deed: "post", on: `http://page.example:${port}/` }),
    says: ["POST / hello"],
  },
  {
    with: "StarlingMonkey, a program",
    what: "fetches",
    input: (port) => given("ask", `http://page.example:${port}/x`),
    says: ["200 GET /x"],
  },
  {
    with: "WAT, online",
    what: "fetches",
    input: (port) => given(`page.example:${port}`, "/x", ""),
    says: ["200 GET /x"],
  },
];

const OTHER_HOST: readonly Cell[] = [
  {
    with: "QuickJS, online",
    what: "gets the reason as an error",
    input: (port) => ({ url: `http://other.example:${port}/` }),
    says: [REFUSED],
  },
  {
    with: "StarlingMonkey",
    what: "gets an error without a reason, which the result adds",
    input: (port) => ({ deed: "ask", on: `http://other.example:${port}/` }),
    says: ["NetworkError when attempting to fetch resource", REFUSED],
  },
  {
    with: "StarlingMonkey, a program",
    what: "has the reason on its standard error",
    input: (port) => given("ask", `http://other.example:${port}/`),
    says: [REFUSED, "NetworkError when attempting to fetch resource\nExit code 1."],
  },
  {
    with: "WAT, online",
    what: "gets HTTP-request-denied, number 15",
    input: (port) => given(`other.example:${port}`, "/", ""),
    says: ["error 015", REFUSED],
  },
];

/** `unreachable` is the words that the runtime has for a trap. */
const TRAPS: readonly Cell[] = [
  { with: "QuickJS", what: "throws", input: () => ({ deed: "fail" }), says: ["a defect"] },
  {
    with: "StarlingMonkey",
    what: "throws, which is a trap",
    input: () => ({ deed: "panic" }),
    says: ["unreachable", "Output up to then:\npanicked at starling.mjs:7"],
  },
  {
    with: "StarlingMonkey, a program",
    what: "throws, which is an exit code",
    input: () => given("panic"),
    says: ["panicked at starling.mjs:7\na defect\nExit code 1."],
  },
  {
    with: "Rust, in 16 MB",
    what: "runs out of memory, which is a trap",
    input: () => given("o", "line.txt"),
    says: ["unreachable", "Output up to then:\nmemory allocation of ", " bytes failed"],
  },
  {
    with: "WAT, online",
    what: "traps",
    input: () => given("", "/", ""),
    says: ["unreachable", "Output up to then:\nno host"],
  },
];

/** 36 MB, where 32 MB are read. */
const FILE_FAILS: readonly Cell[] = [
  {
    with: "QuickJS",
    what: "gets a sentence",
    input: () => ({ deed: "read", path: "big.bin" }),
    says: ["larger than 8388608 bytes"],
  },
  {
    with: "StarlingMonkey, a program",
    what: "gets a stream's error with its code",
    input: () => given("count", "big.bin"),
    says: ["last-operation-failed: file-too-large\nExit code 1."],
  },
  {
    with: "Rust",
    what: "gets the error number of its libc",
    input: () => given("o", "big.bin"),
    says: ["rg: big.bin: File too large (os error 22)\nExit code 1."],
  },
  { with: "WAT", what: "gets an error", input: () => given("big.bin"), says: ["cannot read the file\nExit code 1."] },
];

async function expectOf({ with: toolchain, input, fails, says }: Cell): Promise<void> {
  const site = await startEcho();
  const session = extensionSession(place);
  const hosts = [`page.example:${site.port}`];
  session.add("tool", { ...MANIFESTS[toolchain], hosts }, components.get(toolchain));
  for (const file of ["a.txt", "src/a.txt"]) session.put(file, "one\ntwo");
  session.put("line.txt", Buffer.alloc(10_000_000, "o"));
  session.put("big.bin", "");
  truncateSync(path.join(session.root, "big.bin"), 36_000_000);
  const result = await session.run("tool", input(String(site.port)));
  for (const words of says) expect(textOf(result.content)).toContain(words);
  expect(result.isError).toBe(fails === true);
}

const failing = (cells: readonly Cell[]): Cell[] => cells.map((cell) => ({ ...cell, fails: true }));

test.each(WITHOUT_NETWORK)("$with without the network: $what", expectOf);
test.each(ALLOWED_HOST)("$with and a host named by tool.json: $what", expectOf);
test.each(failing(OTHER_HOST))("$with and another host: $what", expectOf);
test.each(failing(TRAPS))("$with that ends early: $what", expectOf);
test.each(failing(FILE_FAILS))("$with and a file above the size limit: $what", expectOf);

test("a component that imports fetch loads without hosts, and its requests fail with an explanation", async () => {
  const session = extensionSession(place);
  session.add("tool", MANIFESTS.StarlingMonkey, components.get("StarlingMonkey"));
  const result = await session.run("tool", { deed: "ask", on: "http://page.example/" });
  expect(textOf(result.content)).toContain("There is no network access here: a call reaches only the hosts");
});

test("a component with both kinds of export runs as the kind that its tool.json states", async () => {
  const session = extensionSession(place);
  session.add("tool", MANIFESTS.StarlingMonkey, components.get("StarlingMonkey"));
  session.add("program", MANIFESTS["StarlingMonkey, a program"], components.get("StarlingMonkey"));
  expect(textOf((await session.run("tool", { deed: "shout", on: "ahoy" })).content)).toBe("AHOY");
  expect(textOf((await session.run("program", given("shout", "ahoy"))).content)).toBe("AHOY");
});

test("a core module is refused with an explanation of how to make a component of it", async () => {
  const session = extensionSession(place);
  session.add("tool", PROGRAM, await rustModule());
  const { problems } = await session.load();
  expect(problems.join()).toContain(
    "the file is a core module, not a component; convert it with `wasm-tools component new` or `jco new`.",
  );
});

test("QuickJS with wasi:http is refused by its own toolchain with this message", async () => {
  expect(await quickJsWithHttp()).toContain(
    "component imports instance `wasi:http/types@0.2.12`, but a matching implementation was not found in the linker",
  );
});
