import { createPatch } from "diff";
import { Refusal, type Workspace } from "../workspace.ts";
import { edited, textOrNull } from "./change.ts";
import { inFormOf } from "./form.ts";
import type { EditRequest, WriteRequest } from "./request.ts";

// The library checks the clock for its time limit, but a guest has no clock and the host limits the time.
Date.now = () => 0;

/** What a change would do, as a unified diff for people. */
export interface Preview {
  readonly isNew: boolean;
  readonly diff: string;
}

/** Lines of unchanged text around a change. */
const CONTEXT_LINES = 2;

/** Maximum number of edits to search for before two texts count as wholly different. */
const MAX_EDITS = 2_000;

export function previewWrite(workspace: Workspace, { path, content }: WriteRequest): Preview {
  const facts = workspace.inspect(path);
  if (facts.kind === "directory") throw new Refusal(`${path} is a directory.`);
  if (facts.kind === "missing") return { isNew: true, diff: diffOf(path, "", content) };
  const old = textOrNull(workspace, path);
  // A binary file has no lines to show.
  const diff = old === null ? diffOf(path, "(not text)\n", content) : diffOf(path, old, inFormOf(old, content));
  return { isNew: false, diff };
}

export function previewEdit(workspace: Workspace, request: EditRequest): Preview {
  const { before, replaced } = edited(workspace, request, () => {});
  return { isNew: false, diff: diffOf(request.path, before, replaced.text) };
}

function diffOf(path: string, before: string, after: string): string {
  const patch = createPatch(path, before, after, "", "", { context: CONTEXT_LINES, maxEditLength: MAX_EDITS });
  if (patch === undefined) return `${marked(before, "-")}${marked(after, "+")}`;
  // The first lines name the file, as does the question above the diff.
  return patch.slice(patch.indexOf("\n@@") + 1);
}

function marked(text: string, sign: string): string {
  return text
    .split("\n")
    .map((line) => `${sign}${line}\n`)
    .join("");
}
