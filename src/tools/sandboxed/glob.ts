import { z } from "zod";
import type { GlobRequest } from "../../../wasm/guests/files/request.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import { asResult, callGuest, type Guest, readOnlyCapabilities, relativePath } from "./guest-call.ts";

const input = z.object({
  pattern: z.string().min(1).describe("Glob pattern, e.g. `src/**/*.ts` or `**/{a,b}.json`."),
  path: z.string().default("").describe("The directory the pattern starts from. Default: the working directory."),
  sort: z.enum(["path", "modified"]).default("path").describe("Order: by path, or by modification time, newest first."),
  offset: z.int().min(0).default(0).describe("Number of files to skip, to continue a list that was cut."),
  limit: z.int().min(1).max(5_000).default(500).describe("Maximum number of files to list."),
});

const reply = z.object({ text: z.string(), summary: z.string() });

export function createGlob(guest: Guest): Tool {
  return defineTool({
    name: "glob",
    description:
      "Lists the files in the working directory whose paths match a pattern. Hidden files and node_modules are left out " +
      "unless the pattern or path names them; .git always is. Symbolic links are not followed.",
    offer: {
      about: "Lists files by pattern; hidden files and node_modules only if named, .git never.",
      arguments: {
        pattern: "E.g. `src/**/*.{ts,json}`.",
        path: "",
      },
    },
    input,
    permission: "read",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: "glob", label: "listing files" }),
    title: ({ pattern, path }) => (path === "" ? pattern : `${pattern} in ${path}`),
    capabilities: () => readOnlyCapabilities(guest),
    execute: ({ path: asked, ...options }, ctx, signal) =>
      asResult(async () => {
        const body: GlobRequest = { op: "glob", path: relativePath(asked, ctx), ...options, ...fromRoot(options, ctx) };
        const { text, summary } = await callGuest(guest, { body, reply }, { ctx, signal, writes: false });
        return textResult(text, { summary });
      }),
  });
}

/** Makes an absolute pattern relative to the sandbox root, so that `path` does not apply to it. */
function fromRoot({ pattern }: { readonly pattern: string }, ctx: ToolContext): Partial<GlobRequest> {
  if (!pattern.startsWith("/")) return {};
  const [directory = ""] = /^[^*?[{(!]*(?=\/)/.exec(pattern) ?? [];
  const base = relativePath(directory, ctx);
  return { path: "", pattern: [base, pattern.slice(directory.length + 1)].filter((part) => part !== "").join("/") };
}
