import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { componentNew, parse, preview1AdapterCommandPath } from "@bytecodealliance/jco";
import { afterAll, beforeAll } from "vitest";
import type { ToolResult } from "../../../src/core/protocol/tool-result.ts";
import type { ToolContext } from "../../../src/core/tool.ts";
import { type LoadedExtensions, loadExtensions } from "../../../src/features/extensions/load-extensions.ts";
import type { NetworkOptions } from "../../../src/tools/network/exchange.ts";
import type { GuestFetchLimits } from "../../../src/tools/network/limits.ts";
import { createSandbox, type Sandbox } from "../../../src/tools/wasm/sandbox.ts";
import type { SandboxOptions } from "../../../src/tools/wasm/sandbox-options.ts";
import { buildBindingsGenerator, buildGuests, SANDBOX_CHILD } from "../../support/program/built.ts";
import { removeDirectory } from "../../support/remove-directory.ts";
import { tempDirectory } from "../../support/temp-directory.ts";
import { toolContext } from "../../support/tool-context.ts";
import { keptAs, madeOnce, versionOf } from "./made-once.ts";

export interface ExtensionPlace {
  readonly sandbox: Sandbox;
  /** Directory of cached bindings. */
  readonly cacheDir: string;
}

/** Sources that take part in generating bindings, beside the generator, which the program identifies by version. */
const MAKERS = ["generate-bindings.ts", "core-names.ts"].map((name) =>
  readFileSync(new URL(`../../../src/features/extensions/${name}`, import.meta.url), "utf8"),
);
/** Bindings are cached across test runs, because generating each takes a process. */
const KEPT_BINDINGS = keptAs("bindings", MAKERS);

interface ExtensionOptions extends Pick<SandboxOptions, "quotas"> {
  readonly network?: Partial<NetworkOptions<GuestFetchLimits>>;
  /** Whether to generate bindings anew for this file, because their generation is under test. */
  readonly ownBindings?: boolean;
}

/** One sandbox for the tests of a file, and the generator that makes bindings. */
export function useExtensionSandbox({
  network = {},
  ownBindings = false,
  ...more
}: ExtensionOptions = {}): ExtensionPlace {
  const sandbox = createSandbox({ ...SANDBOX_CHILD, network, ...more });
  const cacheDir = ownBindings ? mkdtempSync(path.join(tmpdir(), "deckhand-test-")) : KEPT_BINDINGS;
  beforeAll(async () => {
    await buildBindingsGenerator();
    await buildGuests();
  });
  afterAll(async () => {
    await sandbox.close();
    if (ownBindings) await removeDirectory(cacheDir);
  });
  return { sandbox, cacheDir };
}

export function fixture(name: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(`./fixtures/${name}`, import.meta.url)));
}

/** A wasi:cli/run component of a module for WASI preview 1. */
export async function asProgram(source: string): Promise<Uint8Array> {
  const adapter = readFileSync(preview1AdapterCommandPath());
  return componentNew(await parse(source), [["wasi_snapshot_preview1", adapter]]);
}

/** A component of one of the fixtures in JavaScript, in QuickJS and a world of wasm/extension. */
export async function componentOf(name: string, world: string): Promise<Uint8Array> {
  const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
  const jco = fileURLToPath(new URL("jco.js", import.meta.resolve("@bytecodealliance/jco")));
  const source = here(`./fixtures/${name}`);
  const wit = here("../../../wasm/extension");
  const texts = [source, path.join(wit, "tool.wit")].map((file) => readFileSync(file, "utf8"));
  const versions = ["@bytecodealliance/jco", "componentize-qjs"].map(versionOf);
  return madeOnce(world, [...texts, ...versions, world], async () => {
    const directory = mkdtempSync(path.join(tmpdir(), "deckhand-test-"));
    try {
      const target = path.join(directory, "component.wasm");
      const flags = ["--backend", "qjs", "--backend-qjs-disable-async", "--backend-qjs-stub-wasi"];
      const args = [jco, "componentize", source, "-w", wit, "-n", world, ...flags, "-o", target];
      await promisify(execFile)(process.execPath, args);
      return Uint8Array.from(readFileSync(target));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
}

export interface ExtensionSession {
  readonly root: string;
  /** A directory of extensions, loaded by `load`. */
  readonly tools: string;
  /** Adds an extension with a valid manifest, changed by the given fields; `undefined` removes a field. */
  add(name: string, manifest?: Readonly<Record<string, unknown>>, component?: Uint8Array): void;
  load(reserved?: readonly string[]): Promise<LoadedExtensions>;
  put(file: string, content: string | Uint8Array): void;
  run(name: string, input: object, context?: Partial<ToolContext>, signal?: AbortSignal): Promise<ToolResult>;
}

export function extensionSession({ sandbox, cacheDir }: ExtensionPlace): ExtensionSession {
  const base = tempDirectory();
  const root = path.join(base, "root");
  const tools = path.join(base, "tools");
  mkdirSync(root);
  const load = (reserved: readonly string[] = []): Promise<LoadedExtensions> =>
    loadExtensions({
      directories: [tools],
      bindings: { cacheDir },
      sandbox,
      reserved: new Set(reserved),
    });
  return {
    root,
    tools,
    add: (name, manifest = {}, component = fixture("count.wasm")) => {
      const folder = path.join(tools, name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(path.join(folder, "component.wasm"), component);
      writeFileSync(path.join(folder, "tool.json"), JSON.stringify({ ...soundManifest(name, component), ...manifest }));
    },
    load,
    put: (file, content) => {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), content);
    },
    // oxlint-disable-next-line max-params -- as a tool has it
    run: async (name, input, context = {}, signal = new AbortController().signal) => {
      const { tools: loaded, problems } = await load();
      const tool = loaded.find((candidate) => candidate.name === name);
      if (tool === undefined) throw new Error(`no tool ${name}: ${problems.join(" ")}`);
      return tool.execute(input, toolContext({ sandboxRoot: root, ...context }), signal);
    },
  };
}

function soundManifest(name: string, component: Uint8Array): object {
  return {
    name,
    description: "Counts the lines and bytes of a file.",
    world: "wasi:cli/run",
    sha256: createHash("sha256").update(component).digest("hex"),
    input: { type: "object", properties: { file: { type: "string" } } },
    permission: "read",
    arguments: ["{file}"],
  };
}
