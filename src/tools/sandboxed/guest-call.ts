import { z } from "zod";
import type { Capabilities } from "../../core/capabilities.ts";
import { SandboxError } from "../../core/protocol/errors.ts";
import { errorResult, type ToolResult } from "../../core/protocol/tool-result.ts";
import type { CallPreview, CallRefusal, ToolContext } from "../../core/tool.ts";
import { type CapabilityLimits, capabilityFor, guestCapabilities } from "../wasm/capability.ts";
import type { Sandbox, SandboxCaller } from "../wasm/sandbox.ts";
import type { Changed } from "../wasm/sandbox-child.ts";
import { segmentsOf } from "../wasm/workspace/path-rules.ts";
import { Refusal } from "../wasm/workspace/refusal.ts";

export interface Guest {
  readonly sandbox: Sandbox;
  readonly name: "files" | "js" | "bash" | "page";
  readonly limits: CapabilityLimits;
}

/** On whose behalf a call runs, and what it may do. */
export interface CallScope {
  readonly ctx: ToolContext;
  readonly signal: AbortSignal;
  readonly writes: boolean;
  /** Hosts granted to the call. */
  readonly hosts?: readonly string[];
  /** An instruction file that a person has allowed this call to write. */
  readonly instructionFile?: string;
  /** A file that looks like a secret and that a person has allowed this call to read. */
  readonly secretFile?: string;
  /** Receives the files that the call changes, even if it fails. */
  readonly changed?: Changed;
  /** Receives what the call had printed if it is interrupted. */
  readonly printed?: (text: string) => void;
}

const refusedSchema = z.object({ refused: z.string() });

/** Runs a guest on a request and parses its reply. Throws Refusal when the guest declines. */
export async function callGuest<R>(
  guest: Guest,
  request: { readonly body: object; readonly reply: z.ZodType<R> },
  scope: CallScope,
): Promise<R> {
  const { ctx, writes, hosts = [], instructionFile, secretFile } = scope;
  const capabilities = guestCapabilities(guest.limits, {
    files: writes ? "write" : "read",
    readOnly: ctx.readOnly,
    hosts,
  });
  const allowed = {
    ...(instructionFile === undefined ? {} : { instructionFile }),
    ...(secretFile === undefined ? {} : { secretFile }),
  };
  const capability = { ...capabilityFor(ctx, capabilities), ...allowed };
  const output = await guest.sandbox.call(guest.name, JSON.stringify(request.body), capability, callerOf(scope));
  return parsedReply(output, request.reply);
}

/** Parses a guest's output. Throws Refusal when the guest has declined. */
export function parsedReply<R>(output: string, schema: z.ZodType<R>): R {
  const answer = parseJson(output);
  const refused = refusedSchema.safeParse(answer);
  if (refused.success) throw new Refusal(refused.data.refused);
  const reply = schema.safeParse(answer);
  if (!reply.success)
    throw new SandboxError("sandbox_failed", "the guest gave no valid answer", { cause: reply.error });
  return reply.data;
}

/** Builds the sandbox's caller: on whose behalf the call runs, and who is notified of events in it. */
export function callerOf({ ctx, signal, changed = () => {}, printed = () => {} }: CallScope): SandboxCaller {
  const { sessionId, personId, channelKey } = ctx;
  const queued = (before: number) => ctx.queued(before);
  return { sessionId, personId, channelKey, signal, changed, printed, queued };
}

/** Capabilities of a call that only looks at files. */
export function readOnlyCapabilities({ limits }: Guest): Capabilities {
  return guestCapabilities(limits, { files: "read", readOnly: true });
}

/** A program can corrupt its own guest, so the output may be anything. */
function parseJson(output: string): unknown {
  try {
    return JSON.parse(output);
  } catch (cause) {
    throw new SandboxError("sandbox_failed", "the guest gave no valid answer", { cause });
  }
}

/** The path as results and `knownFiles` give it: normalised and relative to the sandbox root. */
export function relativePath(path: string, ctx: ToolContext): string {
  return segmentsOf(path, [ctx.sandboxRoot]).join("/");
}

/** Turns refusals and limits into results for the model; aborts and defects are rethrown. */
export async function asResult(work: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return errorResult(error.payload);
    if (error instanceof SandboxError) return sandboxFailure(error);
    throw error;
  }
}

/** Turns a refusal to preview a call into one of the call. */
export async function orRefusal(work: () => Promise<CallPreview>): Promise<CallPreview | CallRefusal> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.payload };
    throw error;
  }
}

function sandboxFailure(error: SandboxError): ToolResult {
  if (error.code !== "sandbox_limit") {
    const why = error.message.replace(/\.$/, "");
    return errorResult(`The sandbox failed: ${why}. Nothing else is known; try again.`, "sandbox failed");
  }
  const { limit, value = "" } = error.detail;
  switch (limit) {
    case "time":
      return errorResult(`Stopped after ${value}: the call took too long. Do less per call.`, `stopped after ${value}`);
    case "memory":
      return errorResult(`Stopped: the call needed more than ${value} of memory. Do less per call.`, `over ${value}`);
    case "stack":
      return errorResult(
        "Stopped: the call recursed too deeply, or its data is nested too deeply. Do it in smaller steps.",
        "nested too deeply",
      );
    default:
      return errorResult(`Stopped: the output was larger than ${value}. Ask for less per call.`, `over ${value}`);
  }
}
