import type { Duplex } from "node:stream";
import { fromJson } from "../../../core/text/from-json.ts";
import { ANSWER_BYTES } from "../limits.ts";
import { type ClientFrame, createLineReader, type ParsedServerFrame, serverFrameSchema } from "../wire.ts";

/** The terminal's side of a connection to the program. */
export interface ProgramConnection {
  say(frame: ClientFrame): void;
  close(): void;
}

/** `hear` gets every frame that is understood; programs of other versions may send more. `lost` is called once. */
export function openTalk(
  stream: Duplex,
  { hear, lost }: { readonly hear: (frame: ParsedServerFrame) => void; readonly lost: () => void },
): ProgramConnection {
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
