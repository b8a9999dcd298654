/**
 * The part of PostgreSQL's protocol, version 3, that a pooler reads and writes. Source: PostgreSQL docs, Message
 * Formats.
 */

/** Openings of a connection, which have no message type. */
const OPENINGS: Readonly<Record<number, "startup" | "encryption">> = {
  196_608: "startup",
  80_877_103: "encryption",
  80_877_104: "encryption",
};

/** What an opening requests; null if it is not supported here. */
export function openingOf(whole: Buffer): "startup" | "encryption" | null {
  return OPENINGS[whole.readInt32BE(4)] ?? null;
}

/** Splits a stream into whole messages. An opening has no type before its length. */
export function wholeMessages(hasType: () => boolean, take: (whole: Buffer) => void): (bytes: Buffer) => void {
  let kept: Buffer = Buffer.alloc(0);
  return (bytes) => {
    kept = kept.length === 0 ? bytes : Buffer.concat([kept, bytes]);
    for (;;) {
      const header = hasType() ? 1 : 0;
      if (kept.length < header + 4) return;
      const size = header + kept.readInt32BE(header);
      if (kept.length < size) return;
      const whole = kept.subarray(0, size);
      kept = kept.subarray(size);
      take(whole);
    }
  };
}

export function typeOf(whole: Buffer): string {
  return String.fromCharCode(whole[0] ?? 0);
}

/** The strings in a message from an offset on. */
export function stringsIn(whole: Buffer, from: number): string[] {
  return whole.subarray(from).toString("utf8").split("\0");
}

export function message(type: string, body: Buffer | string = ""): Buffer {
  const content = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([head, content]);
}

export function startup(parameters: Readonly<Record<string, string>>): Buffer {
  const body = Buffer.from(`${Object.entries(parameters).flat().join("\0")}\0\0`);
  const head = Buffer.alloc(8);
  head.writeInt32BE(body.length + 8, 0);
  head.writeInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
}

/** An error that ends the connection. */
export function fatal(code: string, text: string): Buffer {
  return message("E", `SFATAL\0VFATAL\0C${code}\0M${text}\0\0`);
}
