import { hash } from "node:crypto";
import { z } from "zod";
import type { Capabilities, CapabilityContext } from "../../core/capabilities.ts";
import { OUTPUT_DIRECTORY } from "../../core/protocol/tool-result.ts";
import { counted } from "../../core/text/counted.ts";
import { cut } from "../../core/text/plain-text.ts";
import { guestCapabilities } from "../wasm/capability.ts";
import type { Guest } from "./guest-call.ts";

const TITLE_CHARS = 60;

/** A program's output as its guest returns it; of long output only the end (wasm/guests/runtime/overflow.ts). */
export const outputSchema = z.object({
  text: z.string(),
  lines: z.int(),
  file: z.string().nullable(),
  cut: z.boolean(),
});
export type Output = z.infer<typeof outputSchema>;

/**
 * Path of the file for the output of one call, without extension. The call id is hashed because model providers choose
 * it.
 */
export function callFile(callId: string): string {
  return `${OUTPUT_DIRECTORY}/${hash("sha256", callId).slice(0, 12)}`;
}

/** Formats output as lines, under a heading if given; empty output gives none. */
export function shownOutput(heading: string | null, output: Output): string[] {
  if (output.text === "") return [];
  return [
    ...(heading === null ? [] : [`${heading}:`]),
    ...(output.cut ? [aboutCut(output)] : []),
    output.text.replace(/\n$/, ""),
  ];
}

function aboutCut({ lines, file }: Output): string {
  const where = file === null ? "the rest could not be saved" : `the whole output is in ${file}`;
  return `[${lines} lines, of which the last are shown; ${where}]`;
}

export function linesSummary(lines: number): string {
  return lines === 0 ? "done" : counted(lines, "line");
}

/** First line of a program, as a title for people. */
export function titleOf(program: string): string {
  return cut(program.trim().split("\n")[0] ?? "", TITLE_CHARS);
}

/** A program's `timeout` argument. */
export const timeoutSeconds = z
  .number()
  .positive()
  .max(600)
  .optional()
  .describe("Seconds after which it is stopped. Default 60, at most 600.");

/** What a program may access and use. Any program may change files if its session may. */
export function capabilitiesOf(
  guest: Guest,
  call: { readonly timeout?: number | undefined } | null,
  { readOnly, hosts = [] }: Pick<CapabilityContext, "readOnly"> & { readonly hosts?: readonly string[] },
): Capabilities {
  return guestCapabilities(withTimeout(guest, call?.timeout).limits, { files: "write", readOnly, hosts });
}

/** The guest with the time limit that a call asks for. */
export function withTimeout(guest: Guest, seconds: number | undefined, graceMs = 0): Guest {
  const timeoutMs = seconds === undefined ? guest.limits.timeoutMs : Math.round(seconds * 1_000);
  return { ...guest, limits: { ...guest.limits, timeoutMs: timeoutMs + graceMs } };
}
