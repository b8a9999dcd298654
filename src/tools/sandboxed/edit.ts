import { z } from "zod";
import { replaceText } from "../../../wasm/guests/files/replace-text.ts";
import type { EditRequest } from "../../../wasm/guests/files/request.ts";
import type { Tool, ToolContext } from "../../core/tool.ts";
import { type Change, defineChange } from "./change-file.ts";
import { type Guest, relativePath } from "./guest-call.ts";

const wellFormed = (text: string): boolean => text.isWellFormed();

const input = z.object({
  path: z.string().min(1).describe("The file's path: relative to the working directory, or absolute within it."),
  old_string: z
    .string()
    .refine(wellFormed, "old_string must be valid Unicode")
    .describe("The text to replace, exactly as in the file, without line numbers. It must occur once."),
  new_string: z.string().refine(wellFormed, "new_string must be valid Unicode").describe("The replacement text."),
  replace_all: z.boolean().default(false).describe("Replace every occurrence instead of exactly one."),
});

export function createEdit(guest: Guest): Tool {
  return defineChange(guest, {
    name: "edit",
    description:
      "Replaces exact text in a file in the working directory. The file must have been read and not have changed since. " +
      "old_string must be unique: include as many surrounding lines as needed, or set replace_all. " +
      "The file's line endings and encoding are kept.",
    offer: {
      about:
        "Replaces exact text in a file you have read that has not changed since. old_string must occur once: include surrounding lines, or set replace_all.",
      arguments: {
        path: "",
        old_string: "Exactly as in the file, without line numbers.",
        new_string: "",
        replace_all: "",
      },
    },
    input,
    changeOf,
    changed: (call, before) => changedBy(before, editOf(call, call.path)),
  });
}

/**
 * Applies the edit as the guest does, so that people decide about what really happens; null if the guest refuses it.
 */
function changedBy(before: string, edit: EditRequest): string | null {
  if (edit.oldText === "") return null; // the empty text is found everywhere, without end
  const replaced = replaceText(before, edit);
  return typeof replaced === "string" ? null : replaced.text;
}

function editOf(call: z.infer<typeof input>, path: string): EditRequest {
  return { path, oldText: call.old_string, newText: call.new_string, replaceAll: call.replace_all };
}

function changeOf(call: z.infer<typeof input>, ctx: ToolContext): Change {
  const path = relativePath(call.path, ctx);
  const edit = editOf(call, path);
  return {
    path,
    preview: { op: "preview_edit", ...edit },
    plan: (known) => ({ op: "plan_edit", ...edit, known }),
    commit: (before) => ({ op: "commit_edit", ...edit, before }),
  };
}
