import type { Duplex } from "node:stream";
import { fromJson } from "../../../core/text/from-json.ts";
import { ANSWER_BYTES } from "../limits.ts";
import { type ClientFrame, createLineReader, type ParsedServerFrame, serverFrameSchema } from "../wire.ts";

/** The terminal's side of a connection to the program. */
export interface ProgramConnection {
  send(frame: ClientFrame): void;
  close(): void;
}

/** `onFrame` gets every frame that is understood; programs of other versions may send more. `onLost` is called once. */
export function openProgramConnection(
  stream: Duplex,
  { onFrame, onLost }: { readonly onFrame: (frame: ParsedServerFrame) => void; readonly onLost: () => void },
): ProgramConnection {
  const read = createLineReader(ANSWER_BYTES, (line) => {
    const frame = serverFrameSchema.safeParse(fromJson(line)).data;
    if (frame !== undefined) onFrame(frame);
  });
  stream.on("data", (bytes: Buffer) => {
    if (!read(bytes)) stream.destroy();
  });
  stream.on("error", () => stream.destroy());
  stream.once("end", () => stream.destroy());
  stream.once("close", onLost);
  return {
    send: (frame) => {
      if (!stream.destroyed) stream.write(`${JSON.stringify(frame)}\n`);
    },
    close: () => {
      stream.off("close", onLost);
      stream.destroy();
    },
  };
}
