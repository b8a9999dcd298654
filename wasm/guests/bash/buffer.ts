import { bytesOfLatin1, latin1Of, textKeepingBytes, utf8Bytes } from "../runtime/text-encoding.ts";

/** The part of Node's Buffer that the shell uses for conversions. */
class Bytes extends Uint8Array {
  static fromText(text: string, encoding: string): Bytes {
    if (encoding === "base64") return Bytes.fromText(atob(text), "latin1");
    if (encoding === "latin1" || encoding === "binary") return Bytes.from(text, (char) => char.charCodeAt(0));
    return new Bytes(bytesOfLatin1(utf8Bytes(text)));
  }

  override toString(encoding = "utf8"): string {
    if (encoding === "base64") return btoa(latin1Of(this));
    if (encoding === "latin1" || encoding === "binary") return latin1Of(this);
    if (encoding === "hex") return Array.from(this, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return textKeepingBytes(latin1Of(this)).replace(/^\uFEFF/, "");
  }
}

const silent = (): void => {};

/** The console is silent because commands report through stdout and stderr alone. */
Object.assign(globalThis, {
  console: { log: silent, info: silent, warn: silent, error: silent, debug: silent },
  Buffer: {
    from: (data: string | Uint8Array, encoding = "utf8") =>
      typeof data === "string" ? Bytes.fromText(data, encoding) : new Bytes(data),
  },
});
