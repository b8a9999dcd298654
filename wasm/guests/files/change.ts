import { Refusal, type Workspace } from "../workspace.ts";
import { inFormOf } from "./form.ts";
import { changedLines, linesOf } from "./lines.ts";
import { type Replaced, replaceText } from "./replace-text.ts";
import type { EditRequest, WriteRequest } from "./request.ts";

/** What a write or edit would do. The hashes are of the whole file before (null if it does not exist) and after. */
export type Plan =
  | {
      readonly type: "planned";
      readonly before: string | null;
      readonly after: string;
      readonly text: string;
      readonly summary: string;
    }
  | { readonly type: "unchanged"; readonly sha256: string; readonly text: string };

export function planWrite(
  workspace: Workspace,
  { path, content, known }: WriteRequest & { known: string | null },
): Plan {
  const facts = workspace.inspect(path);
  if (facts.kind === "directory") throw new Refusal(`${path} is a directory.`);
  const before = facts.kind === "file" ? workspace.hashFile(path) : null;
  const lines = count(linesOf(content).length);
  if (before === null) {
    return {
      type: "planned",
      before,
      after: workspace.hashText(content),
      text: `Created ${path} (${lines}).`,
      summary: lines,
    };
  }
  requireKnown(path, before, known);
  const old = textOrNull(workspace, path);
  const put = old === null ? content : inFormOf(old, content);
  const after = workspace.hashText(put);
  if (before === after) return { type: "unchanged", sha256: after, text: `${path} already has exactly this content.` };
  if (old === null) {
    const text = `Replaced ${path} (${lines}). The old content was not UTF-8, or above 8 MB; the new one is UTF-8.`;
    return { type: "planned", before, after, text, summary: lines };
  }
  const summary = signs(changedLines(old, put));
  const kept = put === content ? "" : " Its byte order mark and line ends were kept as they were.";
  return { type: "planned", before, after, text: `Replaced ${path} (${lines}, ${summary}).${kept}`, summary };
}

/** Text of a file; null if it is binary or invalid. Such a file may be replaced too once it was read. */
export function textOrNull(workspace: Workspace, path: string): string | null {
  try {
    return workspace.readWhole(path).text;
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}

/** Computes the content again and writes it if the file is still the one that was planned on. */
export function commitWrite(
  workspace: Workspace,
  { path, content, before }: WriteRequest & { before: string | null },
): { committed: true } {
  const old = before === null ? null : textOrNull(workspace, path);
  workspace.replaceFile(path, old === null ? content : inFormOf(old, content), before);
  return { committed: true };
}

export function planEdit(workspace: Workspace, request: EditRequest & { known: string | null }): Plan {
  const { path, known } = request;
  const { sha256: before, replaced } = edited(workspace, request, (sha256) => requireKnown(path, sha256, known));
  const { lines } = replaced;
  const shown = `${lines.slice(0, 8).join(", ")}${lines.length > 8 ? ", …" : ""}`;
  const summary = signs(replaced);
  const what =
    lines.length === 1
      ? `Edited ${path} at line ${shown}`
      : `Replaced ${lines.length} occurrences in ${path}, at lines ${shown}`;
  return { type: "planned", before, after: workspace.hashText(replaced.text), text: `${what} (${summary}).`, summary };
}

/** Computes the edit again and writes it if the file is still the one that was planned on. */
export function commitEdit(
  workspace: Workspace,
  request: EditRequest & { before: string | null },
): { committed: true } {
  const { path, before } = request;
  const { replaced } = edited(workspace, request, (sha256) => {
    if (sha256 !== before) throw new Refusal(`${path} changed in the meantime; nothing was written. Read it again.`);
  });
  workspace.replaceFile(path, replaced.text, before);
  return { committed: true };
}

export function edited(
  workspace: Workspace,
  request: EditRequest,
  check: (sha256: string) => void,
): { sha256: string; before: string; replaced: Replaced } {
  const { path } = request;
  const facts = workspace.inspect(path);
  if (facts.kind === "missing") throw new Refusal(`${path} does not exist. Use write to create it.`);
  if (facts.kind === "directory") throw new Refusal(`${path} is a directory.`);
  const { text, sha256 } = workspace.readWhole(path);
  check(sha256);
  if (request.oldText === "") throw new Refusal("old_string is empty; to write a whole file use write.");
  const replaced = replaceText(text, request);
  if (typeof replaced === "string") throw new Refusal(replaced);
  return { sha256, before: text, replaced };
}

function requireKnown(path: string, sha256: string, known: string | null): void {
  if (known === null) throw new Refusal(`Read ${path} first: this thread has not read it yet.`);
  if (known !== sha256) throw new Refusal(`${path} changed since it was read. Read it again, then repeat the change.`);
}

function signs({ added, removed }: { added: number; removed: number }): string {
  return `+${added} −${removed}`;
}

function count(lines: number): string {
  return lines === 1 ? "1 line" : `${lines} lines`;
}
