import type { Duplex } from "node:stream";
import { fromJson } from "../../../core/text/from-json.ts";
import { ANSWER_BYTES } from "../limits.ts";
import { type ClientFrame, createLineReader, type HeardFrame, serverFrameSchema } from "../wire.ts";

/** A connection to the program, seen from the terminal. */
export interface Talk {
  say(frame: ClientFrame): void;
  close(): void;
}

/** `hear` gets what is understood: a program of another version may say more. `lost` is called once. */
export function openTalk(
  stream: Duplex,
  { hear, lost }: { readonly hear: (frame: HeardFrame) => void; readonly lost: () => void },
): Talk {
  const read = createLineReader(ANSWER_BYTES, (line) => {
    const frame = serverFrameSchema.safeParse(fromJson(line)).data;
    if (frame !== undefined) hear(frame);
  });
  stream.on("data", (bytes: Buffer) => {
    if (!read(bytes)) stream.destroy();
  });
  stream.on("error", () => stream.destroy());
  stream.once("end", () => stream.destroy());
  stream.once("close", lost);
  return {
    say: (frame) => {
      if (!stream.destroyed) stream.write(`${JSON.stringify(frame)}\n`);
    },
    close: () => {
      stream.off("close", lost);
      stream.destroy();
    },
  };
}
