import type { Stats } from "node:fs";
import { inUtf8 } from "../wasm/workspace/media-type.ts";
import { readHead } from "../wasm/workspace/read-file.ts";

/** In each directory, the first of these that is not empty is read. */
export const PROJECT_FILES: readonly string[] = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md"];

/** Maximum bytes of one file that enter the prompt: every model call of the channel pays for them. */
export const MAX_BYTES = 32_768;

/** Reads the instructions of an open file, in UTF-8 or marked as UTF-16; empty if the file is binary. */
export function instructionText(fd: number, { size }: Stats): string {
  const text = inUtf8(readHead(fd, Math.min(size, MAX_BYTES))).toString("utf8");
  if (text.includes("\0")) return "";
  const whole = text.replace(/\ufffd{1,3}$/, "").trim();
  return size > MAX_BYTES
    ? `${whole}\n[Cut here: the file has ${size} bytes; only the first ${MAX_BYTES} are read.]`
    : whole;
}
