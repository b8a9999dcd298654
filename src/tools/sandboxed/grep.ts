import { z } from "zod";
import type { GrepRequest } from "../../../wasm/guests/files/request.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../core/tool.ts";
import { allowedSecret, READ_SECRET, SECRETS, secretAt, secretRule } from "../secrets/secret-rule.ts";
import { asResult, callGuest, type Guest, readOnlyCapabilities, relativePath } from "./guest-call.ts";

const contextLines = z.int().min(0).max(100);

const input = z.object({
  pattern: z
    .string()
    .min(1)
    .describe(
      "Regular expression in JavaScript syntax, matched against each line; escape `. ( [ {` to match them literally.",
    ),
  path: z.string().default("").describe("The directory or file to search. Default: the working directory."),
  glob: z
    .string()
    .optional()
    .describe(
      "Only files that match, e.g. `*.ts` (any depth) or `src/**/*.ts`; a leading `!` excludes matching files.",
    ),
  type: z.string().optional().describe("Only files of a type, e.g. `ts`, `py`, `rust`, `yaml`, or an extension."),
  output_mode: z
    .enum(["content", "files_with_matches", "count"])
    .default("files_with_matches")
    .describe("`content` shows the lines as path:line:text, `count` the number of matching lines per file."),
  ignore_case: z.boolean().default(false).describe("Ignore case."),
  multiline: z.boolean().default(false).describe("Matches may span lines, and `.` matches line ends."),
  context: contextLines.default(0).describe("Lines to show before and after each match (content only)."),
  before: contextLines.optional().describe("Lines to show before each match, instead of `context`."),
  after: contextLines.optional().describe("Lines to show after each match, instead of `context`."),
  "-i": z.boolean().optional().describe("Same as `ignore_case`, as in ripgrep."),
  "-A": contextLines.optional().describe("Same as `after`."),
  "-B": contextLines.optional().describe("Same as `before`."),
  "-C": contextLines.optional().describe("Same as `context`."),
  offset: z.int().min(0).default(0).describe("Number of entries to skip, to continue a result that was cut."),
  head_limit: z.int().min(1).max(5_000).default(250).describe("Maximum number of entries (lines or files) to show."),
});
type Input = z.infer<typeof input>;

const reply = z.object({ text: z.string(), summary: z.string() });

export function createGrep(guest: Guest): Tool {
  return defineTool({
    name: "grep",
    description:
      "Searches the text files in the working directory for a regular expression. Hidden files and node_modules are left out " +
      "unless path or glob names them; .git always is. Binary files and files above 8 MB are not searched.",
    offer: {
      about: "Searches text files for a regular expression; hidden files and node_modules only if named, .git never.",
      arguments: {
        pattern: "JavaScript syntax.",
        path: "",
        glob: "E.g. `*.ts`, `src/**`, `!*.md`.",
        output_mode: "`count`: matching lines per file.",
        ignore_case: "",
        context: "Lines around each match in `content`.",
        head_limit: "",
      },
    },
    input,
    permission: "read",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: "grep", label: "searching files" }),
    title: ({ pattern, path }) => (path === "" ? pattern : `${pattern} in ${path}`),
    rule: ({ path }, place) => (path === "" ? null : secretRule(path, place)),
    capabilities: () => readOnlyCapabilities(guest),
    preview: async ({ pattern, path }) => {
      return { question: READ_SECRET, language: "", text: `${pattern} in ${path}`, reach: "searches this file alone" };
    },
    execute: (call, ctx, signal) =>
      asResult(async () => {
        const body = requestOf(call, relativePath(call.path, ctx));
        const scope = { ctx, signal, writes: false, ...allowedSecret(body.path, ctx) };
        const { text, summary } = await callGuest(guest, { body, reply }, scope);
        return textResult(text, {
          summary,
          ...(secretAt(ctx.sandboxRoot, body.path) === null ? {} : { label: SECRETS }),
        });
      }),
  });
}

function requestOf(call: Input, path: string): GrepRequest {
  const around = call["-C"] ?? call.context;
  return {
    op: "grep",
    pattern: call.pattern,
    path,
    glob: call.glob ?? null,
    type: call.type ?? null,
    mode: call.output_mode,
    ignoreCase: call.ignore_case || call["-i"] === true,
    multiline: call.multiline,
    before: call.before ?? call["-B"] ?? around,
    after: call.after ?? call["-A"] ?? around,
    offset: call.offset,
    limit: call.head_limit,
  };
}
