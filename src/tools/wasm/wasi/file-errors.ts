import { FileFailure } from "../workspace/file-failure.ts";
import { WasiFailure } from "./wasi-failure.ts";

/** The system's names of errors, as `wasi:filesystem/types` calls them. */
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

/** Does file work; what the sandbox declines becomes the component's error value. */
export function asWasi<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof FileFailure) throw new WasiFailure(CODES[error.payload.code] ?? "io");
    throw error;
  }
}
