import { Buffer } from "node:buffer";
import type { FilesystemImport } from "../../wasm/workspace/filesystem.ts";
import { asWasi } from "./file-errors.ts";
import { WasiFailure } from "./wasi-failure.ts";

/** Bytes of one file: what the sandbox reads at once. */
const MAX_SIZE = 33_554_432;

/**
 * A file that a component has open. Its content is read as a whole when it is first needed, and written
 * as a whole when the component lets go of it: places are verified per operation, not per descriptor.
 */
export class OpenFile {
  readonly path: string;
  readonly #filesystem: FilesystemImport;
  /** Null until needed. May have room beyond the file's size. */
  #content: Buffer | null = null;
  #size = 0;
  #changed = false;

  constructor(filesystem: FilesystemImport, path: string) {
    this.#filesystem = filesystem;
    this.path = path;
  }

  get size(): number {
    return this.#content === null ? asWasi(() => this.#filesystem.status(this.path, true).size) : this.#size;
  }

  read(bytes: number, offset: number): Buffer {
    return this.#loaded().subarray(offset, Math.min(offset + bytes, this.#size));
  }

  write(bytes: Uint8Array, offset: number): void {
    const end = offset + bytes.length;
    this.#withRoom(end).set(bytes, offset);
    this.#size = Math.max(this.#size, end);
    this.#changed = true;
  }

  resize(size: number): void {
    this.#withRoom(size).fill(0, Math.min(size, this.#size));
    this.#size = size;
    this.#changed = true;
  }

  save(): void {
    const content = this.#content;
    if (!this.#changed || content === null) return;
    this.#changed = false;
    asWasi(() => this.#filesystem.writeFile(this.path, content.toString("latin1", 0, this.#size), false));
  }

  #loaded(): Buffer {
    if (this.#content === null) {
      const text = asWasi(() => this.#filesystem.readFile(this.path));
      this.#content = Buffer.from(text, "latin1");
      this.#size = this.#content.length;
    }
    return this.#content;
  }

  #withRoom(size: number): Buffer {
    if (size > MAX_SIZE) throw new WasiFailure("file-too-large");
    const content = this.#loaded();
    if (size <= content.length) return content;
    const larger = Buffer.alloc(Math.max(size, 2 * content.length));
    content.copy(larger, 0, 0, this.#size);
    this.#content = larger;
    return larger;
  }
}
