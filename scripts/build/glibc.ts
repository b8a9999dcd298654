import { z } from "zod";

/** Minor version of glibc 2 that binary packages require; better-sqlite3 and componentize-qjs require the newest. */
export const OLDEST_GLIBC_MINOR = 34;

const reportSchema = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });

/** For example `2.36`; null if the system has another library. */
export function systemGlibc(): string | null {
  return reportSchema.parse(process.report.getReport()).header.glibcVersionRuntime ?? null;
}

/** One line about a system that is too old; null if it is not. */
export function glibcProblem(glibc: string | null): string | null {
  const [major = 0, minor = 0] = (glibc ?? "").split(".").map(Number);
  if (major !== 2 || minor >= OLDEST_GLIBC_MINOR) return null;
  return `Deckhand needs a Linux with glibc 2.${OLDEST_GLIBC_MINOR} or newer, such as Debian 12, Ubuntu 22.04 or RHEL 9, and this one has ${glibc}. The container image brings its own: docs/containers.md.`;
}
