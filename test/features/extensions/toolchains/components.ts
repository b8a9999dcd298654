import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { brotliDecompressSync } from "node:zlib";
import { componentEmbed, componentNew, parse, preview1AdapterCommandPath } from "@bytecodealliance/jco";
import { fixture } from "../extension-session.ts";
import { madeOnce, versionOf } from "../made-once.ts";
import { publishedWit } from "../published-wit.ts";

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));
const run = promisify(execFile);

/** fixtures/starling.mjs in StarlingMonkey, with the `fetch` that it brings along: of both worlds. */
export async function starlingComponent(): Promise<Uint8Array> {
  const source = here("../fixtures/starling.mjs");
  const tool = await readFile(here("../../../../wasm/extension/tool.wit"), "utf8");
  const wit = `${tool}
    world third-party {
      import wasi:cli/environment@0.2.12;
      import wasi:filesystem/preopens@0.2.12;
      import wasi:filesystem/types@0.2.12;
      export tool;
      export wasi:cli/run@0.2.12;
    }
    ${publishedWit()}`;
  const sources = [await readFile(source, "utf8"), wit, versionOf("@bytecodealliance/componentize-js")];
  return madeOnce("starling", sources, () =>
    withWit(wit, async (file) => {
      const target = `${file}.wasm`;
      await run(process.execPath, [
        fileURLToPath(new URL("./componentize.ts", import.meta.url)),
        source,
        file,
        "third-party",
        target,
      ]);
      return Uint8Array.from(await readFile(target));
    }),
  );
}

/** What jco says when it is to make a component of QuickJS that imports wasi:http. */
export async function quickJsWithHttp(): Promise<string> {
  const wit = `package test:programs;
    world online { import wasi:http/outgoing-handler@0.2.12; export ask: func() -> string; }
    ${publishedWit()}`;
  const script = 'export { handle as ask } from "wasi:http/outgoing-handler@0.2.12";';
  const versions = ["@bytecodealliance/jco", "componentize-qjs"].map(versionOf);
  const said = await madeOnce("refusal", [script, wit, ...versions], () =>
    withWit(wit, async (file) => {
      const source = `${file}.mjs`;
      await writeFile(source, script);
      const jco = fileURLToPath(new URL("jco.js", import.meta.resolve("@bytecodealliance/jco")));
      const flags = ["-w", file, "--backend", "qjs", "-o", `${file}.wasm`];
      const made = run(process.execPath, [jco, "componentize", source, ...flags]);
      const told = await made.then(
        () => "made",
        (error: unknown) => String(error instanceof Error && "stderr" in error ? error.stderr : error),
      );
      return new TextEncoder().encode(told);
    }),
  );
  return new TextDecoder().decode(said);
}

async function withWit<T>(wit: string, use: (file: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(path.join(tmpdir(), "deckhand-test-"));
  const file = path.join(directory, "world.wit");
  try {
    await writeFile(file, wit);
    return await use(file);
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** fixtures/web-fetch.wat: instructions that call wasi:http, made a component by `component embed` and `component new`. */
export async function webFetchProgram(): Promise<Uint8Array> {
  const witSource = `package test:programs;
    world program {
      import wasi:http/outgoing-handler@0.2.12;
      import wasi:cli/environment@0.2.12;
      import wasi:cli/stdout@0.2.12;
      export wasi:cli/run@0.2.12;
    }
    ${publishedWit()}`;
  const binary = await parse(Buffer.from(fixture("web-fetch.wat")).toString("utf8"));
  return componentNew(await componentEmbed({ binary, witSource, world: "program" }), []);
}

/** ripgrep as its author compiles it for wasm32-wasip1: a module. */
export async function rustModule(): Promise<Uint8Array> {
  const packed = new URL("_rg.wasm.mjs", import.meta.resolve("ripgrep"));
  const { getCompressedBytes }: { getCompressedBytes: () => Uint8Array } = await import(packed.href);
  return Uint8Array.from(brotliDecompressSync(getCompressedBytes()));
}

/** As `jco new --wasi-command` makes it of the module. */
export async function rustProgram(): Promise<Uint8Array> {
  const adapter = await readFile(preview1AdapterCommandPath());
  return componentNew(await rustModule(), [["wasi_snapshot_preview1", adapter]]);
}
