import { normalize } from "node:path/posix";
import { z } from "zod";
import { defineTool, type Tool, type ToolContext } from "../../core/tool.ts";
import { applyChange, type Change, changeRule, changing, previewChange, reconcileChange } from "./change-file.ts";
import { asResult, type Guest, relativePath } from "./guest-call.ts";

const input = z.object({
  path: z.string().min(1).describe("The file: relative to the working directory, or absolute beneath it."),
  content: z
    .string()
    .refine((text) => text.isWellFormed(), "content must be valid Unicode")
    .describe("The whole content of the file, written exactly as it is."),
});

export function createWrite(guest: Guest): Tool {
  return defineTool({
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
    permission: "write",
    parallel: false,
    afterCrash: "reconcile",
    grant: ({ path }) => ({ key: normalize(path), label: `changing ${normalize(path)}` }),
    title: ({ path }) => path,
    rule: ({ path, content }, place) => changeRule(guest, { path, changed: () => content }, place),
    capabilities: (_call, place) => changing(guest, place),
    preview: (call, ctx, signal) => previewChange(guest, changeOf(call, ctx), { ctx, signal, writes: false }),
    execute: (call, ctx, signal) =>
      asResult(() => applyChange(guest, changeOf(call, ctx), { ctx, signal, writes: true })),
    reconcile: ({ input: call, intent }, ctx, signal) =>
      asResult(() => reconcileChange(guest, { change: changeOf(call, ctx), intent }, { ctx, signal, writes: true })),
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
