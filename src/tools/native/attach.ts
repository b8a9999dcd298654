import { z } from "zod";
import { answerMessage } from "../../core/platform/replies.ts";
import { textResult } from "../../core/protocol/tool-result.ts";
import { defineTool, type Tool } from "../../core/tool.ts";
import { asResult } from "../sandboxed/guest-call.ts";
import { secretAt } from "../secrets/secret-rule.ts";
import { sandboxFile } from "./sandbox-file.ts";

const input = z.object({
  path: z.string().min(1).describe("The file's path: relative to the working directory, or absolute within it."),
  comment: z.string().trim().max(1_200).default("").describe("A line to send with it if its name does not say enough."),
});

export function createAttach(): Tool {
  return defineTool({
    name: "attach",
    description: "Sends a file from the working directory to the thread, for people to open or download.",
    offer: {
      about: "Sends a file to the thread.",
      arguments: {
        path: "",
        comment: "",
      },
    },
    input,
    permission: "read",
    parallel: false,
    afterCrash: "replay",
    grant: ({ path }) => ({ key: `attach:${path}`, label: `sending ${path}` }),
    title: ({ path }) => path,
    rule: ({ path }, { sandboxRoot }) => {
      const secret = secretAt(sandboxRoot, path);
      if (secret === null) return null;
      return {
        type: "ask",
        why: `${secret.path} looks like ${secret.kind}: everyone who reads the thread can open it.`,
        always: true,
      };
    },
    preview: async ({ path }) => {
      return {
        question: "Send a file that looks like a secret?",
        language: "",
        text: path,
        reach: "goes to this thread",
      };
    },
    execute: ({ path, comment }, ctx) =>
      asResult(async () => {
        const file = sandboxFile(path, ctx, { isAllowed: ctx.approved });
        await ctx.thread.post(
          `attach:${ctx.callId}`,
          answerMessage(comment === "" ? `\`${file.name}\`` : comment, [file]),
        );
        return textResult(`${file.name} (${file.data.length} bytes) was sent to the thread.`, {
          summary: `${file.data.length} bytes`,
        });
      }),
  });
}
