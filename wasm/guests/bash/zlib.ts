import { latin1Of } from "../runtime/text-encoding.ts";
import { openFilesystem } from "../workspace-files.ts";

/** The part of node:zlib that the shell's gzip, gunzip, zcat, tar and rg use: the host does the work. */
const host = openFilesystem(String, () => {});

export function gzipSync(bytes: Uint8Array, options: { level?: number } = {}): Uint8Array {
  return bytesOf(host.compress(latin1Of(bytes), options.level ?? -1));
}

export function gunzipSync(bytes: Uint8Array): Uint8Array {
  return bytesOf(host.decompress(latin1Of(bytes)));
}

function bytesOf(content: string): Uint8Array {
  return Uint8Array.from(content, (char) => char.charCodeAt(0));
}

export const constants = { Z_BEST_COMPRESSION: 9, Z_BEST_SPEED: 1, Z_DEFAULT_COMPRESSION: -1 };
