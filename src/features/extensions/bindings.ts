import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rename, rm } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { z } from "zod";
import type { Interfaces } from "./worlds.ts";

/** The output directory of wasm/build-bindings-generator.ts. */
const GENERATOR = fileURLToPath(new URL("../../../build/bindings-generator", import.meta.url));
const PROGRAM = fileURLToPath(new URL("./generate-bindings.ts", import.meta.url));

/** In milliseconds. A component of 20 MB takes a few seconds. */
const TIMEOUT_MS = 120_000;

/** The generator is WebAssembly and ends before V8's optimised code is ready; compiling that doubles its time. */
const FLAGS = ["--no-warnings", "--liftoff-only"];

const bindingsSchema = z.object({ imports: z.array(z.string()), exports: z.array(z.string()) });

/** A component's bindings: a directory that the sandbox runs as a guest, with the component's imports and exports. */
export interface Bindings extends Interfaces {
  readonly directory: string;
}

interface Component {
  readonly file: string;
  readonly sha256: string;
}

export interface BindingDirectories {
  /** Cache that persists across starts. */
  readonly cacheDir: string;
  /** Bindings of the shipped tools; read-only. */
  readonly shippedDir?: string;
  readonly generatorDir?: string;
  /** Called before bindings are made, which takes seconds. */
  readonly making?: () => void;
}

/**
 * Makes a component's bindings, or finds existing ones for the same hash and generator version. The generator runs in
 * its own process with an empty environment, since it reads a stranger's component. Rejects with an error whose message
 * is a line for the operator.
 */
export async function bindingsOf(
  component: Component,
  { cacheDir, shippedDir, generatorDir = GENERATOR, making = () => {} }: BindingDirectories,
): Promise<Bindings> {
  const { version } = generatorSchema.parse(JSON.parse(await readFile(path.join(generatorDir, "build.json"), "utf8")));
  const name = `${component.sha256}-${version}`;
  const isShipped = shippedDir !== undefined && existsSync(path.join(shippedDir, name, "bindings.json"));
  const directory = path.join(isShipped ? shippedDir : cacheDir, name);
  if (!existsSync(path.join(directory, "bindings.json"))) {
    making();
    await generate(component, directory, generatorDir);
  }
  const { imports, exports } = bindingsSchema.parse(
    JSON.parse(await readFile(path.join(directory, "bindings.json"), "utf8")),
  );
  return { directory, imports, exports };
}

const generatorSchema = z.object({ version: z.string().regex(/^[\w.-]+$/) });

async function generate({ file, sha256 }: Component, directory: string, generatorDir: string): Promise<void> {
  await mkdir(path.dirname(directory), { recursive: true });
  const work = await mkdtemp(`${directory}.new-`);
  try {
    const args = [...FLAGS, PROGRAM, generatorDir, file, sha256, work];
    await promisify(execFile)(process.execPath, args, { env: {}, timeout: TIMEOUT_MS, killSignal: "SIGKILL" });
    await rename(work, directory).catch((error: unknown) => {
      if (!existsSync(path.join(directory, "bindings.json"))) throw error; // another process may have been first
    });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
