import type { Progress } from "@modelcontextprotocol/client";
import { foreignLine } from "./foreign-text.ts";

/** Maximum length of a server's progress message, in characters. */
const WORDS = 50;

/** Totals above this are shown as a percentage. */
const COUNTED = 1_000;

/** `3 of 5 · compiling` */
export function progressText({ progress, total, message = "" }: Progress): string {
  return [figures(progress, total), foreignLine(message, WORDS)].filter((text) => text !== "").join(" · ");
}

function figures(progress: number, total: number | undefined): string {
  if (total === undefined || total <= 0) return Number.isInteger(progress) ? String(progress) : "";
  const isCounted = Number.isInteger(progress) && Number.isInteger(total) && total > 1 && total <= COUNTED;
  if (isCounted && total !== 100) return `${progress} of ${total}`;
  return `${Math.min(100, Math.floor((progress / total) * 100))} %`;
}
