import { FileFailure } from "../workspace/file-failure.ts";
import { WasiFailure } from "./wasi-failure.ts";

/** Maps the system's error codes to those of `wasi:filesystem/types`. */
const CODES: Readonly<Record<string, string>> = {
  EACCES: "access",
  EDQUOT: "quota",
  EEXIST: "exist",
  EFBIG: "file-too-large",
  EINVAL: "invalid",
  EISDIR: "is-directory",
  ELOOP: "loop",
  ENAMETOOLONG: "name-too-long",
  ENOENT: "no-entry",
  ENOSPC: "insufficient-space",
  ENOTDIR: "not-directory",
  ENOTEMPTY: "not-empty",
  EPERM: "not-permitted",
  EROFS: "read-only",
};

/** Runs file work; a refusal by the sandbox becomes the component's error value. */
export function asWasi<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileFailure) throw new WasiFailure(CODES[error.payload.code] ?? "io");
    throw error;
  }
}
