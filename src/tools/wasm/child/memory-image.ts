/** Initial memory contents of a guest, which the build stores beside the modules that import the memory. */
export interface MemoryImage {
  /** Whole pages, shared by the workers. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  /** In pages. */
  readonly maximum: number;
}

export const IMAGE_FILE = "memory.image";

/** In bytes. */
export const PAGE_BYTES = 65_536;

/**
 * The memory for successive instances. Overwriting an existing memory takes a fraction of the time of a new one, which
 * the system provides page by page and which makes V8 collect its whole heap after every few.
 */
export class ImagedMemory {
  readonly #image: MemoryImage;
  #memory: WebAssembly.Memory | null = null;

  constructor(image: MemoryImage) {
    this.#image = image;
  }

  /** Returns a memory for a new instance, every byte equal to the image. */
  take(): WebAssembly.Memory {
    const { bytes, maximum } = this.#image;
    const memory = this.#memory ?? new WebAssembly.Memory({ initial: bytes.length / PAGE_BYTES, maximum });
    this.#memory = null;
    new Uint8Array(memory.buffer).set(bytes);
    return memory;
  }

  /** Takes back a memory that no instance uses any more. One that has grown cannot shrink and is discarded. */
  leave(memory: WebAssembly.Memory): void {
    if (memory.buffer.byteLength === this.#image.bytes.length) this.#memory = memory;
  }
}
