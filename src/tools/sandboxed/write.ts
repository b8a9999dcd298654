import { z } from "zod";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { type Change, defineChange } from "./change-file.ts";
import { type Guest, relativePath } from "./guest-call.ts";

const input = z.object({
  path: z.string().min(1).describe("The file's path: relative to the working directory, or absolute within it."),
  content: z
    .string()
    .refine((text) => text.isWellFormed(), "content must be valid Unicode")
    .describe("The entire content of the file. A replaced file keeps its byte order mark and CRLF line endings."),
});

export function createWrite(guest: Guest): Tool {
  return defineChange(guest, {
    name: "write",
    description:
      "Creates a file in the working directory, or replaces its entire content. Missing parent directories are created. " +
      "An existing file must have been read before. To change part of a file, use edit.",
    offer: {
      about:
        "Creates a file and its parent directories, or replaces all of a file you have read. To change part of one, use edit.",
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
