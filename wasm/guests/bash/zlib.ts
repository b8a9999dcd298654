import { bytesOfLatin1, latin1Of } from "../runtime/text-encoding.ts";
import { openFilesystem } from "../workspace-files.ts";

/** The part of node:zlib that the shell's gzip, gunzip, zcat, tar and rg use; the host does the work. */
const host = openFilesystem(String, () => {});

export function gzipSync(bytes: Uint8Array, options: { level?: number } = {}): Uint8Array {
  return bytesOfLatin1(host.compress(latin1Of(bytes), options.level ?? -1));
}

export function gunzipSync(bytes: Uint8Array): Uint8Array {
  return bytesOfLatin1(host.decompress(latin1Of(bytes)));
}

export const constants = { Z_BEST_COMPRESSION: 9, Z_BEST_SPEED: 1, Z_DEFAULT_COMPRESSION: -1 };
