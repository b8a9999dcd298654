import type { Stats } from "node:fs";
import { readHead } from "../wasm/workspace/read-file.ts";

/** The first of these in a directory that says something is read. */
export const PROJECT_FILES: readonly string[] = ["AGENTS.md", "CLAUDE.md"];

/** Bytes of one file that enter the prompt: instructions that are longer cost every call of the channel. */
export const MOST_BYTES = 32_768;

/** What an open file tells agents; one that is not text says nothing. */
export function instructionText(fd: number, { size }: Stats): string {
  const text = readHead(fd, Math.min(size, MOST_BYTES)).toString("utf8");
  if (text.includes("\0")) return "";
  const whole = text.replace(/\ufffd{1,3}$/, "").trim();
  return size > MOST_BYTES
    ? `${whole}\n[Cut here: the file has ${size} bytes, of which ${MOST_BYTES} are read.]`
    : whole;
}
