import type { Duplex } from "node:stream";
import type { Summaries } from "../../core/history/session-summary.ts";
import type { Log } from "../../core/protocol/log.ts";
import {
  createFrameQueue,
  type FrameSessionOptions,
  frameFailure,
  handleFrame,
} from "../render/local/frame-session.ts";
import { localFile } from "../render/local/message-body.ts";
import { type FrameSocket, Outbox } from "../render/local/outbox.ts";
import { TERMINAL_PLACE } from "./inbound.ts";
import { LINE_BYTES } from "./limits.ts";
import { type ClientFrame, clientFrameSchema, createLineReader, type ServerFrame } from "./wire.ts";

export interface ServeScope extends Omit<FrameSessionOptions, "page" | "place"> {
  readonly summaries: Pick<Summaries, "busyThreads">;
  readonly log: Log;
}

/** Handles the requests of one terminal, in order, until it leaves. */
export function serveTerminal(stream: Duplex, serving: ServeScope): void {
  const { feed, log } = serving;
  const page = new Outbox<ServerFrame>(lineSocket(stream));
  const take = createFrameQueue<ClientFrame>({
    page,
    log,
    schema: clientFrameSchema,
    handle: (frame) => handle(frame, page, serving),
    failure: (frame, error) => {
      if (frame.type === "file") return { type: "rejected", reason: "Deckhand couldn't accept the file: try again." };
      if (frame.type === "fetch") page.push({ type: "content", fileId: frame.fileId, data: null });
      // The terminal asks again by itself.
      return frame.type === "look" || frame.type === "fetch" ? null : frameFailure(frame, error);
    },
  });
  const read = createLineReader(LINE_BYTES, take);
  stream.on("data", (bytes: Buffer) => {
    if (read(bytes)) return;
    log.warn({ maxBytes: LINE_BYTES }, "terminal_line_too_long");
    stream.destroy();
  });
  // The reason for a broken connection does not matter; the terminal reconnects or does not.
  stream.on("error", () => stream.destroy());
  stream.on("close", () => feed.leave(page));
}

async function handle(frame: ClientFrame, page: Outbox<ServerFrame>, serving: ServeScope): Promise<void> {
  switch (frame.type) {
    case "file": {
      const { name, mediaType, data } = frame;
      return serving.store.putFile(localFile({ name, mediaType, data: Buffer.from(data, "base64") }));
    }
    case "fetch": {
      const file = await serving.store.file(frame.fileId);
      const data = file === null ? null : Buffer.from(file.data).toString("base64");
      page.push({ type: "content", fileId: frame.fileId, data });
      return undefined;
    }
    case "look": {
      const busy = await serving.summaries.busyThreads(TERMINAL_PLACE.platform.name);
      page.push({ type: "state", threadId: frame.threadId, state: busy.get(frame.threadId) ?? null });
      return undefined;
    }
    default:
      return handleFrame(frame, { ...serving, page, place: TERMINAL_PLACE });
  }
}

function lineSocket(stream: Duplex): FrameSocket {
  return {
    send: (data, sent) => {
      stream.write(`${data}\n`, (error) => sent(error));
    },
    close: () => stream.end(),
  };
}
