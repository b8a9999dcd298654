import { z } from "zod";
import { answerMessage } from "../../core/platform/replies.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../core/tool.ts";
import { asResult } from "../sandboxed/guest-call.ts";
import { sandboxFile } from "./sandbox-file.ts";

const input = z.object({
  text: z.string().trim().min(1).max(1_500).describe("The note, in Markdown."),
  files: z.array(z.string().min(1)).max(5).default([]).describe("Files in the working directory to send with it."),
});

/** Maximum characters of the note on the progress line. */
const TITLE_CHARS = 60;

export function createBrief(): Tool {
  return defineTool({
    name: "brief",
    description:
      "Posts an interim note to the thread while you keep working: a finding that people want before you finish, or the progress " +
      "of a long task. Not for the answer itself, which you give at the end, and not for each step.",
    deferred: { about: "posts an interim note while you work" },
    input,
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: () => ({ key: "brief", label: "posting notes" }),
    title: ({ text }) => text.slice(0, TITLE_CHARS),
    execute: ({ text, files }, ctx) =>
      asResult(async () => {
        const attached = files.map((path) => sandboxFile(path, ctx));
        await ctx.thread.post(`brief:${ctx.callId}`, answerMessage(text, attached));
        return textResult("The note was posted to the thread.", { summary: "posted" });
      }),
  });
}
