import { createHash, randomInt } from "node:crypto";
import { z } from "zod";
import { errorResult, type ToolResult, textResult } from "../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../core/tool.ts";
import { asResult, callGuest, type Guest } from "./guest-call.ts";

/** Characters of console output, and of the value, that the model gets. */
const MAX_CHARS = 30_000;
const TITLE_CHARS = 60;

const input = z.object({
  code: z
    .string()
    .min(1)
    .refine((text) => text.isWellFormed(), "code must be valid Unicode")
    .describe("The program: a script, not a module. Print with console.log; the last expression's value is returned."),
});

const reply = z.object({ output: z.string(), value: z.string().nullable(), error: z.string().nullable() });

export function createJsExec(guest: Guest): Tool {
  return defineTool({
    name: "js_exec",
    description:
      "Runs a JavaScript program (QuickJS, ES2023) and returns what it prints and the value of its last expression. " +
      "It runs by itself: no files, no network, no modules, no timers, nothing asynchronous, and nothing stays for the next call. " +
      "For calculating, parsing and transforming text that is in the code.",
    input,
    permission: "execute",
    parallel: false,
    afterCrash: "never",
    grant: ({ code }) => ({
      key: createHash("sha256").update(code).digest("hex"),
      label: "running this program",
    }),
    title: ({ code }) => titleOf(code),
    execute: ({ code }, ctx, signal) =>
      asResult(async () => {
        const body = { code, maxChars: MAX_CHARS, now: Date.now(), seed: randomInt(2 ** 32) };
        return resultOf(await callGuest(guest, { body, reply }, { ctx, signal, writes: false }));
      }),
  });
}

function titleOf(code: string): string {
  const first = code.trim().split("\n")[0] ?? "";
  return first.length > TITLE_CHARS ? `${first.slice(0, TITLE_CHARS).toWellFormed()}…` : first;
}

function resultOf({ output, value, error }: z.infer<typeof reply>): ToolResult {
  const parts = output === "" ? [] : [output];
  if (error !== null) return errorResult([...parts, error].join("\n"), "failed");
  if (value !== null) parts.push(`=> ${value}`);
  const text = parts.length === 0 ? "The program ended without output." : parts.join("\n");
  const lines = output === "" ? 0 : output.split("\n").length;
  return textResult(text, { summary: lines === 1 ? "1 line" : lines === 0 ? "done" : `${lines} lines` });
}
