import { readFileSync } from "node:fs";
import { normalize } from "node:path/posix";
import { z } from "zod";
import type { FilesRequest } from "../../../wasm/guests/files/request.ts";
import { type Capabilities, type CapabilityContext, capabilitiesText } from "../../core/capabilities.ts";
import type { WriteIntent } from "../../core/events/call-record.ts";
import { errorResult, type ToolResult, textResult } from "../../core/protocol/tool-result.ts";
import {
  type CallEnvironment,
  type CallPreview,
  type CallRule,
  defineTool,
  type Tool,
  type ToolContext,
} from "../../core/tool.ts";
import { instructionRefusal } from "../instructions/instruction-files.ts";
import { changesScripts, isPackageFile } from "../instructions/package-scripts.ts";
import { type IsInstructionFile, instructionFileCheck } from "../instructions/protected-files.ts";
import { guestCapabilities } from "../wasm/capability.ts";
import { madeFor } from "../wasm/workspace/empty-directories.ts";
import { PathResolver, withFile } from "../wasm/workspace/path-resolver.ts";
import { segmentsOf } from "../wasm/workspace/path-rules.ts";
import { Refusal, unlessRefused } from "../wasm/workspace/refusal.ts";
import { asResult, type CallScope, callGuest, type Guest, orRefusal } from "./guest-call.ts";

/** A change in two steps: a plan says what would be done, and the commit does exactly that or nothing. */
export interface Change {
  readonly path: string;
  /** The guest request that previews the change. */
  readonly preview: FilesRequest;
  /** The guest request that plans the change, given the hash of the file that the session knows. */
  plan(known: string | null): FilesRequest;
  /**
   * The guest request that makes the change, given the sha256 that the file must still have; null if it must be absent.
   */
  commit(before: string | null): FilesRequest;
}

const planReply = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("planned"),
    before: z.string().nullable(),
    after: z.string(),
    text: z.string(),
    summary: z.string(),
  }),
  z.object({ type: z.literal("unchanged"), sha256: z.string(), text: z.string() }),
]);
const previewReply = z.object({ isNew: z.boolean(), diff: z.string() });
const commitReply = z.object({ committed: z.literal(true) });
const hashReply = z.object({ sha256: z.string().nullable() });

interface ChangingTool<I> extends Pick<Tool<I>, "name" | "description" | "offer" | "input"> {
  readonly changeOf: (call: I, ctx: ToolContext) => Change;
  /** Content of the file after the change; null if it cannot be determined. */
  readonly changed: (call: I, before: string) => string | null;
}

/** Defines a tool that changes one file, with a preview for people. */
export function defineChange<I extends { readonly path: string }>(
  guest: Guest,
  { changeOf, changed, ...about }: ChangingTool<I>,
): Tool {
  return defineTool<I>({
    ...about,
    permission: "write",
    parallel: false,
    afterCrash: "reconcile",
    grant: ({ path }) => ({ key: normalize(path), label: `changing ${normalize(path)}` }),
    title: ({ path }) => path,
    rule: (call, place) => changeRule(guest, { path: call.path, changed: (before) => changed(call, before) }, place),
    capabilities: (_call, place) => changing(guest, place),
    preview: (call, ctx, signal) =>
      orRefusal(async () => previewChange(guest, changeOf(call, ctx), { ctx, signal, writes: false })),
    execute: (call, ctx, signal) =>
      asResult(() => applyChange(guest, changeOf(call, ctx), { ctx, signal, writes: true })),
    reconcile: ({ input: call, intent }, ctx, signal) =>
      asResult(() => reconcileChange(guest, { change: changeOf(call, ctx), intent }, { ctx, signal, writes: true })),
  });
}

async function applyChange(guest: Guest, change: Change, scope: CallScope): Promise<ToolResult> {
  const { path } = change;
  if (scope.ctx.readOnly) throw new Refusal("Writing is not permitted here.");
  if (!scope.ctx.approved && instructs(guest, scope.ctx.sandboxRoot)(path)) throw instructionRefusal(path);
  const known = scope.ctx.knownFiles.get(path) ?? null;
  const plan = await callGuest(guest, { body: change.plan(known), reply: planReply }, scope);
  if (plan.type === "unchanged") {
    return textResult(plan.text, { summary: "no change", files: [{ path, sha256: plan.sha256, action: "read" }] });
  }
  const { before, after, text, summary } = plan;
  const made = before === null ? madeFor(path, scope.ctx.sandboxRoot) : {};
  await scope.ctx.intend({ path, before, after, ...made });
  await commit(guest, change, { before, scope });
  return textResult(text, { summary, files: [{ path, sha256: after, action: "wrote", before, ...made }] });
}

/** In every mode, a person decides each time on changes to instruction files and to what a package runs. */
function changeRule(
  guest: Guest,
  { path, changed }: { readonly path: string; readonly changed: (before: string) => string | null },
  { sandboxRoot }: CallEnvironment,
): CallRule | null {
  const file = beneath(path, sandboxRoot);
  if (file === null) return null;
  if (instructs(guest, sandboxRoot)(file)) return { type: "ask", why: INSTRUCTS, always: true };
  if (!isPackageFile(file)) return null;
  const before = packageText(file, sandboxRoot);
  const after = changed(before ?? "");
  return after === null || changesScripts(file, before, after) ? { type: "ask", why: RUNS, always: true } : null;
}

function instructs({ sandbox }: Guest, root: string): IsInstructionFile {
  return instructionFileCheck(root, sandbox.guardedFiles);
}

const INSTRUCTS =
  "Agents take instructions from this file, machines run what it says, or the settings guard it: a person decides each time.";
const RUNS = "It changes what developers' machines run, so a person decides each time.";

/** Text of the file; null if it is missing or unreadable. */
function packageText(file: string, root: string): string | null {
  using resolver = new PathResolver(root);
  return unlessRefused(() => withFile(resolver.find(file), file, (fd) => readFileSync(fd, "utf8")));
}

/** Relative path; null if it leads out of the root, where the call then fails by itself. */
function beneath(path: string, root: string): string | null {
  return unlessRefused(() => segmentsOf(path, [root]).join("/"));
}

/** Capabilities of a change: files only. */
function changing({ limits }: Guest, { readOnly }: Pick<CapabilityContext, "readOnly">): Capabilities {
  return guestCapabilities(limits, { files: "write", readOnly });
}

/** Previews the change as a diff, which people see before they decide. */
async function previewChange(guest: Guest, { path, preview }: Change, scope: CallScope): Promise<CallPreview> {
  const { isNew, diff } = await callGuest(guest, { body: preview, reply: previewReply }, scope);
  const reach = capabilitiesText(changing(guest, scope.ctx));
  return { question: `${isNew ? "Create" : "Change"} ${path}?`, language: "diff", text: diff, reach };
}

async function commit(
  guest: Guest,
  change: Change,
  { before, scope }: { before: string | null; scope: CallScope },
): Promise<void> {
  const { path } = change;
  const isGuarded = isPackageFile(path) || instructs(guest, scope.ctx.sandboxRoot)(path);
  const allowed = scope.ctx.approved && isGuarded ? { instructionFile: path } : {};
  await callGuest(guest, { body: change.commit(before), reply: commitReply }, { ...scope, ...allowed });
}

/** After a restart, determines from the file itself whether the intended change happened. */
async function reconcileChange(
  guest: Guest,
  { change, intent }: { readonly change: Change; readonly intent: WriteIntent },
  scope: CallScope,
): Promise<ToolResult> {
  const { path, before, after, made } = intent;
  const { sha256 } = await callGuest(guest, { body: { op: "hash", path }, reply: hashReply }, scope);
  if (sha256 === before && before !== after) await commit(guest, change, { before, scope });
  else if (sha256 !== after) {
    return errorResult(
      `${path} was changed by someone else during a restart; this change was not made. Read it again.`,
    );
  }
  const files = [{ path, sha256: after, action: "wrote" as const, before, ...(made === undefined ? {} : { made }) }];
  return textResult(`Changed ${path}.`, { summary: "changed", files });
}
