/** What the memory of a guest holds at first, as the build has written it down beside the modules, which import it. */
export interface MemoryImage {
  /** Whole pages, shared by the workers. */
  readonly bytes: Uint8Array<SharedArrayBuffer>;
  /** Pages. */
  readonly maximum: number;
}

export const IMAGE_FILE = "memory.image";

/** Bytes. */
export const PAGE_BYTES = 65_536;

/**
 * The memory of one instance after another. To write over one that is there takes a fraction of what a new one does: the
 * system hands that out page by page, and V8 collects its whole heap after every few.
 */
export class ImagedMemory {
  readonly #image: MemoryImage;
  #memory: WebAssembly.Memory | null = null;

  constructor(image: MemoryImage) {
    this.#image = image;
  }

  /** For a new instance: every byte is that of the image. */
  take(): WebAssembly.Memory {
    const { bytes, maximum } = this.#image;
    const memory = this.#memory ?? new WebAssembly.Memory({ initial: bytes.length / PAGE_BYTES, maximum });
    this.#memory = null;
    new Uint8Array(memory.buffer).set(bytes);
    return memory;
  }

  /** Gives back what no instance uses any more. A memory that has grown cannot shrink, and is let go. */
  leave(memory: WebAssembly.Memory): void {
    if (memory.buffer.byteLength === this.#image.bytes.length) this.#memory = memory;
  }
}
