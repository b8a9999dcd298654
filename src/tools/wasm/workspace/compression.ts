import { Buffer } from "node:buffer";
import { gunzipSync, gzipSync } from "node:zlib";
import { systemCode } from "../../../core/protocol/system-code.ts";
import { FileFailure } from "./file-failure.ts";

/** Maximum bytes of unpacked content; a small file can claim to hold terabytes. */
const MAX_UNPACKED = 67_108_864;

export function compress(content: string, level: number): string {
  const bounded = Math.max(-1, Math.min(9, level));
  return gzipSync(Buffer.from(content, "latin1"), { level: bounded }).toString("latin1");
}

export function decompress(content: string): string {
  try {
    return gunzipSync(Buffer.from(content, "latin1"), { maxOutputLength: MAX_UNPACKED }).toString("latin1");
  } catch (error) {
    const code = systemCode(error) ?? "";
    if (code === "ERR_BUFFER_TOO_LARGE") {
      throw new FileFailure("EFBIG", `The archive unpacks to more than ${MAX_UNPACKED} bytes; it was not unpacked.`);
    }
    if (code.startsWith("Z_")) throw new FileFailure("EINVAL");
    throw error;
  }
}
