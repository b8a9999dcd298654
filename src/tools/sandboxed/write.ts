import { z } from "zod";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { type Change, defineChange } from "./change-file.ts";
import { type Guest, relativePath } from "./guest-call.ts";

const input = z.object({
  path: z.string().min(1).describe("The file: relative to the working directory, or absolute beneath it."),
  content: z
    .string()
    .refine((text) => text.isWellFormed(), "content must be valid Unicode")
    .describe("The whole content of the file. One that is replaced keeps its byte order mark and line ends of CRLF."),
});

export function createWrite(guest: Guest): Tool {
  return defineChange(guest, {
    name: "write",
    description:
      "Creates a file of the working directory, or replaces its whole content. Directories on the way are made. " +
      "A file that exists must have been read before. To change a part of a file use edit.",
    offer: {
      about:
        "Creates a file, with the directories on the way, or replaces the whole of one that you have read. To change a part use edit.",
      arguments: {
        path: "",
        content: "",
      },
    },
    input,
    changeOf,
    changed: ({ content }) => content,
  });
}

function changeOf({ path: asked, content }: z.infer<typeof input>, ctx: ToolContext): Change {
  const path = relativePath(asked, ctx);
  return {
    path,
    preview: { op: "preview_write", path, content },
    plan: (known) => ({ op: "plan_write", path, content, known }),
    commit: (before) => ({ op: "commit_write", path, content, before }),
  };
}
