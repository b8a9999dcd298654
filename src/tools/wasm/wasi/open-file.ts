import { Buffer } from "node:buffer";
import type { FilesystemImport } from "../workspace/filesystem.ts";
import { asWasi } from "./file-errors.ts";
import { WasiFailure } from "./wasi-failure.ts";

/** Maximum bytes of one file, which the sandbox reads at once. */
const MAX_SIZE = 33_554_432;

/** Maximum bytes of all files that a program has open; they are held outside its own memory and its limit. */
export const MAX_HELD = 67_108_864;

export interface FileHolder {
  readonly filesystem: FilesystemImport;
  /** Bytes that open files may still take. */
  readonly held: { left: number };
}

/**
 * A file that a component has open. Its content is read as a whole on first use, and written as a whole when the
 * component closes it, because paths are verified per operation, not per descriptor.
 */
export class OpenFile {
  #path: string;
  readonly #holder: FileHolder;
  /** Null until needed. May be larger than the file. */
  #content: Buffer | null = null;
  #size = 0;
  #changed = false;
  #unlinked = false;

  constructor(holder: FileHolder, path: string) {
    this.#holder = holder;
    this.#path = path;
  }

  get path(): string {
    return this.#path;
  }

  /** True if the name is gone: the content then lives as long as the file is open, and is never written. */
  get unlinked(): boolean {
    return this.#unlinked;
  }

  get size(): number {
    return this.#content === null ? asWasi(() => this.#holder.filesystem.status(this.#path, true).size) : this.#size;
  }

  /** Reads the content while the file still has its name. */
  keep(): void {
    this.#loaded();
  }

  unlink(): void {
    this.#unlinked = true;
  }

  move(path: string): void {
    this.#path = path;
  }

  read(bytes: number, offset: number): Buffer {
    return this.#loaded().subarray(offset, Math.min(offset + bytes, this.#size));
  }

  write(bytes: Uint8Array, offset: number): void {
    const end = offset + bytes.length;
    this.#withCapacity(end).set(bytes, offset);
    this.#size = Math.max(this.#size, end);
    this.#changed = true;
  }

  resize(size: number): void {
    this.#withCapacity(size).fill(0, Math.min(size, this.#size));
    this.#size = size;
    this.#changed = true;
  }

  save(): void {
    const content = this.#content;
    if (!this.#changed || this.#unlinked || content === null) return;
    this.#changed = false;
    asWasi(() => this.#holder.filesystem.writeFile(this.#path, content.toString("latin1", 0, this.#size), false));
  }

  /** Discards the content, saved or not. */
  release(): void {
    this.#hold(-(this.#content?.length ?? 0));
    this.#content = null;
    this.#changed = false;
  }

  #hold(bytes: number): void {
    const { held } = this.#holder;
    if (bytes > held.left) throw new WasiFailure("insufficient-memory");
    held.left -= bytes;
  }

  #loaded(): Buffer {
    if (this.#content === null) {
      if (this.size > MAX_SIZE) throw new WasiFailure("file-too-large");
      const text = asWasi(() => this.#holder.filesystem.readFile(this.#path));
      this.#hold(text.length);
      this.#content = Buffer.from(text, "latin1");
      this.#size = this.#content.length;
    }
    return this.#content;
  }

  #withCapacity(size: number): Buffer {
    if (size > MAX_SIZE) throw new WasiFailure("file-too-large");
    const content = this.#loaded();
    if (size <= content.length) return content;
    const capacity = Math.min(MAX_SIZE, Math.max(size, 2 * content.length));
    this.#hold(capacity - content.length);
    const larger = Buffer.alloc(capacity);
    content.copy(larger, 0, 0, this.#size);
    this.#content = larger;
    return larger;
  }
}
