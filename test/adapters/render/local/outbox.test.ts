import { expect, test } from "vitest";
import { HELD_FRAMES, SOCKET_BYTES } from "../../../../src/adapters/render/local/frame-limits.ts";
import { type FrameSocket, Outbox } from "../../../../src/adapters/render/local/outbox.ts";
import type { PageMessage } from "../../../../src/adapters/render/local/wire.ts";
import type { ServerFrame } from "../../../../src/adapters/web/wire.ts";

/** A page's socket whose reader takes nothing until the test lets it. */
class SlowSocket implements FrameSocket {
  readonly sent: ServerFrame[] = [];
  readonly closed: number[] = [];
  #unread: (() => void)[] = [];

  send(data: string, sent: () => void): void {
    this.sent.push(JSON.parse(data));
    this.#unread.push(sent);
  }

  close(code: number): void {
    this.closed.push(code);
  }

  read(): void {
    const unread = this.#unread;
    this.#unread = [];
    for (const taken of unread) taken();
  }
}

function frame(id: string, seq: number, size = 1): Extract<ServerFrame, { type: "message" }> {
  const body = {
    by: "deckhand",
    tone: "plain",
    buttons: [],
    files: [],
    signs: [],
    markdown: "x".repeat(size),
  } as const;
  const message: PageMessage = {
    id,
    threadId: "t",
    position: 1,
    seq,
    at: 0,
    body: { ...body, buttons: [], files: [], signs: [] },
  };
  return { type: "message", message, thread: null };
}

function seqs(socket: SlowSocket): number[] {
  return socket.sent.flatMap((sent) => (sent.type === "message" ? [sent.message.seq] : []));
}

test("of the queued states of a message only the newest is sent to a slow page, in sequence order", () => {
  const socket = new SlowSocket();
  const outbox = new Outbox(socket);
  outbox.push(frame("big", 1, SOCKET_BYTES));
  outbox.push(frame("a", 2));
  outbox.push(frame("b", 3));
  outbox.push(frame("a", 4));
  expect(seqs(socket)).toEqual([1]);
  socket.read();
  expect(seqs(socket)).toEqual([1, 3, 4]);
});

test("a new thread that came with a skipped state is still sent", () => {
  const socket = new SlowSocket();
  const outbox = new Outbox(socket);
  const thread = { id: "t", title: "T", updatedAt: 0 };
  outbox.push(frame("big", 1, SOCKET_BYTES));
  outbox.push({ ...frame("a", 2), thread });
  outbox.push(frame("a", 3));
  socket.read();
  expect(socket.sent[1]).toMatchObject({ message: { seq: 3 }, thread });
});

test("a page that falls too far behind is disconnected and its queue dropped", () => {
  const socket = new SlowSocket();
  const outbox = new Outbox(socket);
  outbox.push(frame("big", 0, SOCKET_BYTES));
  for (let n = 1; n <= HELD_FRAMES + 1; n += 1) outbox.push(frame(`m${n}`, n));
  expect(socket.closed).toEqual([1013]);
  outbox.push(frame("late", 9_999));
  socket.read();
  expect(seqs(socket)).toEqual([0]);
});
