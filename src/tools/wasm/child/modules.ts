import { open, readdir, readFile } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { SandboxError } from "../../../core/protocol/errors.ts";
import { capMemories } from "./cap-memory.ts";
import { IMAGE_FILE, type MemoryImage, PAGE_BYTES } from "./memory-image.ts";

/** A guest, compiled under one memory limit. Workers get the modules by reference. */
export interface CompiledGuest {
  readonly key: string;
  /** URL of the bindings, which instantiate the modules. */
  readonly url: string;
  readonly modules: Readonly<Record<string, WebAssembly.Module>>;
  /** Null for a third party's component, which creates its own memory and may do anything during instantiation. */
  readonly image: MemoryImage | null;
}

/**
 * Creates a cache that compiles each guest once per memory limit. A guest is a name in the build directory, or the
 * directory of a third party's component.
 */
export function createModuleCache(buildDir: string): (guest: string, memoryMb: number) => Promise<CompiledGuest> {
  const compiled = new Map<string, Promise<CompiledGuest>>();
  return (guest, memoryMb) => {
    const key = `${guest}@${memoryMb}`;
    const known =
      compiled.get(key) ?? compileGuest(resolve(buildDir, guest), { key, memoryMb, isOwn: !isAbsolute(guest) });
    compiled.set(key, known);
    known.catch(() => compiled.delete(key)); // lets the next call try again
    return known;
  };
}

async function compileGuest(
  directory: string,
  { key, memoryMb, isOwn }: { key: string; memoryMb: number; isOwn: boolean },
): Promise<CompiledGuest> {
  const names = await readdir(directory).catch((cause: unknown) => {
    throw new SandboxError("sandbox_failed", `no guest is built in ${directory}; run: node wasm/build.ts`, { cause });
  });
  const files = names.filter((name) => name.endsWith(".wasm"));
  const bytes = isOwn ? await readShared(join(directory, IMAGE_FILE)) : null;
  const pages = bytes === null ? 0 : bytes.length / PAGE_BYTES;
  const read = await Promise.all(files.map((name) => readFile(join(directory, name))));
  const capped = capMemories(read, memoryMb, pages);
  const modules = await Promise.all(
    capped.modules.map(
      async (module, index) => [files[index] ?? "", await WebAssembly.compile(Uint8Array.from(module))] as const,
    ),
  );
  return {
    key,
    url: pathToFileURL(join(directory, "guest.js")).href,
    modules: Object.fromEntries(modules),
    image: bytes === null ? null : { bytes, maximum: capped.imported },
  };
}

/** Reads a file directly into shared memory; a copy would take twice the memory. */
async function readShared(file: string): Promise<Uint8Array<SharedArrayBuffer>> {
  await using handle = await open(file);
  const { size } = await handle.stat();
  const bytes = new Uint8Array(new SharedArrayBuffer(size));
  for (let at = 0; at < size; ) {
    const { bytesRead } = await handle.read(bytes, at, size - at);
    if (bytesRead === 0) throw new SandboxError("sandbox_failed", `${file} became shorter while it was read`);
    at += bytesRead;
  }
  return bytes;
}
