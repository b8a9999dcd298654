import { HELD_FRAMES, SOCKET_BYTES } from "./frame-limits.ts";
import type { ThreadFrame } from "./wire.ts";

/** The part of a WebSocket that an outbox needs. */
export interface FrameSocket {
  send(data: string, sent: (error?: Error | null) => void): void;
  close(code: number, reason: string): void;
}

/**
 * Frames on their way to one page. For a page that reads slowly, few bytes are in flight; later frames are held back,
 * and only the newest state of each message is kept. A page that falls too far behind is disconnected; it reconnects by
 * itself and catches up from the store.
 */
export class Outbox<Frame extends { readonly type: string } = ThreadFrame> {
  readonly #socket: FrameSocket;
  readonly #held = new Map<string, Frame | ThreadFrame>();
  #bytesInFlight = 0;
  #unkeyed = 0;
  #closed = false;

  constructor(socket: FrameSocket) {
    this.#socket = socket;
  }

  push(frame: Frame | ThreadFrame): void {
    if (this.#closed) return;
    const key = this.#keyOf(frame);
    const held = this.#held.get(key);
    // Deleting first moves the key to the end, so that frames stay in order of their sequence numbers.
    this.#held.delete(key);
    this.#held.set(key, held === undefined ? frame : keepThread(held, frame));
    if (this.#held.size > HELD_FRAMES) {
      this.close(1013, "too far behind");
      return;
    }
    this.#flush();
  }

  close(code: number, reason: string): void {
    this.#closed = true;
    this.#held.clear();
    this.#socket.close(code, reason);
  }

  #flush(): void {
    for (const [key, frame] of this.#held) {
      if (this.#bytesInFlight >= SOCKET_BYTES) return;
      this.#held.delete(key);
      const data = JSON.stringify(frame);
      this.#bytesInFlight += data.length;
      this.#socket.send(data, (error) => {
        this.#bytesInFlight -= data.length;
        // A socket that fails is closing; its page catches up on the next one.
        if (error === undefined || error === null) this.#flush();
      });
    }
  }

  #keyOf(frame: Frame | ThreadFrame): string {
    if (isMessage(frame)) return `message:${frame.message.id}`;
    this.#unkeyed += 1;
    return `frame:${this.#unkeyed}`;
  }
}

type MessageFrame = Extract<ThreadFrame, { type: "message" }>;

function isMessage(frame: { readonly type: string }): frame is MessageFrame {
  return frame.type === "message";
}

/** Merges a newer state of a message into one not sent yet, keeping the thread that the older frame brings along. */
function keepThread<Frame extends { readonly type: string }>(held: Frame, frame: Frame): Frame | MessageFrame {
  if (!isMessage(held) || !isMessage(frame)) return frame;
  return { ...frame, thread: frame.thread ?? held.thread };
}
