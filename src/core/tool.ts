import { z } from "zod";
import type { Mode, Permission, QueryConfig } from "./agents/query-config.ts";
import type { Capabilities, CapabilityContext } from "./capabilities.ts";
import type { WriteIntent } from "./events/call-record.ts";
import type { ThreadMessage } from "./platform/chat-platform.ts";
import type { PlatformLimits } from "./platform/descriptor.ts";
import type { Attachment } from "./platform/inbound.ts";
import type { OutgoingMessage, PostedMessage } from "./platform/outgoing.ts";
import type { ToolUseBlock } from "./protocol/messages.ts";
import type { PlanStep } from "./protocol/plan.ts";
import type { ToolResult } from "./protocol/tool-result.ts";
import type { ToolSpec } from "./providers/provider.ts";
import type { OutgoingData, Sink } from "./trust/egress.ts";
import type { HostRules } from "./trust/host-patterns.ts";
import type { Label } from "./trust/label.ts";

type JsonSchema = ToolSpec["inputSchema"];

/** What the program may do after a restart with a call that was interrupted. */
export type AfterCrash = "replay" | "reconcile" | "never";

/** The thread of a call's session. */
export interface ToolThread {
  readonly limits: Pick<PlatformLimits, "messageChars" | "editChars" | "attachmentBytes">;
  /** Posts a message once per key and run, even across a crash. */
  post(key: string, message: OutgoingMessage): Promise<PostedMessage>;
  /** Replaces the message posted under the key by its final state, durably and once. */
  close(key: string, last: OutgoingMessage): Promise<void>;
  /** The root and the newest messages, oldest first; none for a channel that the platform does not let the bot read. */
  fetch(from: "thread" | "channel", limit: number, signal: AbortSignal): Promise<readonly ThreadMessage[]>;
  /** The bytes of a file attached to one of these messages. */
  fetchFile(attachment: Attachment, signal: AbortSignal): Promise<Uint8Array>;
}

/** The context shared by all calls of a run. */
export interface RunContext extends HostRules {
  readonly sessionId: string;
  readonly runId: string;
  /** The person whose request began the run. */
  readonly personId: string;
  /** Key of the per-channel limits: `slack:C1`. */
  readonly channelKey: string;
  readonly config: QueryConfig;
  /** Absolute path of the only directory that calls may touch. */
  readonly sandboxRoot: string;
  /** True if nobody can answer questions, as in a job. */
  readonly nonInteractive: boolean;
  readonly thread: ToolThread;
}

export interface ToolContext extends RunContext {
  readonly callId: string;
  /** True if the agent's access role forbids writes. The sandbox host enforces this, not the guest. */
  readonly readOnly: boolean;
  /** The label of the request that led to the call. */
  readonly label: Label;
  /** True if a person approved this call or a grant covers it. */
  readonly approved: boolean;
  /** Digest of the preview that people saw when they approved the call. */
  readonly previewDigest?: string;
  /** State stored in the session by the tool's previous call (`ToolResult.toolState`); null if there is none. */
  readonly toolState: string | null;
  /** sha256 of sandbox files as this session last read or wrote them, by normalised relative path. */
  readonly knownFiles: ReadonlyMap<string, string>;
  /** Addresses in the request that no model made up. */
  knownAddresses(): readonly string[];
  /** Journals a write intent; resolves once it is durable. */
  intend(intent: WriteIntent): Promise<void>;
  /** Shows in the thread that the call is queued for the sandbox. */
  queued(before: number): void;
  /** Shows in the thread what the call waits for, e.g. `@ana`, `14:05 UTC`. */
  waits(what: string): void;
  /** Shows the call's progress in the thread, in a few words; empty if nothing more specific is known. */
  progress(text: string): void;
  showPlan(steps: readonly PlanStep[]): void;
}

/** A tool's verdict on one call, in addition to its permission: a person must be asked, or the call is refused. */
export type CallRule =
  /** `always` asks even in agi mode and stores no grant. `why` is a sentence for the card. */
  | { readonly type: "ask"; readonly why: string; readonly always: boolean }
  | { readonly type: "refuse"; readonly reason: string };

/** The circumstances in which a call is judged. */
export interface CallEnvironment extends HostRules {
  readonly mode: Mode;
  /** Absolute path of the only directory that the call may touch. */
  readonly sandboxRoot: string;
  /** Hosts that data may be sent to; none if omitted. */
  readonly sinks?: readonly Sink[];
  /** True if nobody can be asked, as in a job. */
  readonly nonInteractive?: boolean;
  /** The session's current `ToolContext.knownFiles`. */
  readonly knownFiles?: ReadonlyMap<string, string>;
}

/** Why a call would fail: the model learns it, and nobody is asked to approve the call. */
export interface CallRefusal {
  readonly refused: string;
}

/** What a person sees before deciding: exactly what will happen. */
export interface CallPreview {
  /** A question: `Run a command?`. */
  readonly question: string;
  /** The language of the code block that `text` is shown in: `sh`, `diff`, `json`. */
  readonly language: string;
  readonly text: string;
  /** Digest of a preview that may be outdated once the call runs, which compares it (`ToolContext.previewDigest`). */
  readonly previewDigest?: string;
  /** Further facts about the call, one line each. */
  readonly facts?: readonly string[];
  /** False if the call's effect is unknown before it runs, so its approval creates no grant. */
  readonly isRepeatable?: false;
  /** What the call may touch: `may change files in the sandbox of this channel · no network`. */
  readonly reach: string;
  /** Button labels for a card that shows this call alone, if they say more than allow and deny. */
  readonly answers?: { readonly allow: string; readonly deny: string };
}

/** Previews a call by its arguments as JSON. */
export function plainPreview({ name, input }: Pick<ToolUseBlock, "name" | "input">, title: string): CallPreview {
  const question = `Run ${name}${title === "" ? "" : ` ${title}`}?`;
  return { question, language: "json", text: JSON.stringify(input, null, 2), reach: "" };
}

/** A short description of a tool that fits into each model request. */
export interface Offer {
  readonly about: string;
  /** Descriptions of the arguments that most calls need, empty if the name says enough; other arguments are omitted. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** Entry for a tool that the model finds by search instead of receiving in each request (context/deferred-tools.ts). */
export interface Deferred {
  /** Purpose of the tool, in half a line. */
  readonly about: string;
  /** Common name prefix of a group, whose tools are listed by name alone on one line. */
  readonly group?: string;
  /** Text to read along with the description when the tool is found; a text shared by several tools is sent once. */
  readonly manual?: () => string;
}

export interface Tool<I = unknown> {
  /** `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  /** Origin of the description, if it was written by an untrusted third party. */
  readonly writtenBy?: string;
  /** Shorter description for model requests; tool_search returns the full one. */
  readonly offer?: Offer;
  /** Set if few runs need the tool. */
  readonly deferred?: Deferred;
  readonly input: z.ZodType<I>;
  /** `input` as the JSON Schema that the model reads. */
  readonly inputSchema: () => JsonSchema;
  readonly permission: Permission;
  /** The only access role that gets the tool; if absent, every role whose permissions suffice. */
  readonly onlyFor?: string;
  /** False if the call acts as a barrier among the calls of its turn. */
  readonly parallel: boolean;
  readonly afterCrash: AfterCrash;
  /** True if a call's effects are invisible here: it may have changed something unless its result says otherwise. */
  readonly changesUnseen?: boolean;
  /** Set if each call receives the state stored by the previous one in the session (`ToolContext.toolState`). */
  readonly keepsState?: true;
  /** Set if a grant holds only for calls whose preview has the same digest. */
  readonly grantBindsPreview?: true;
  /** The grant that “allow for this session / always” stores, and its label on the card. */
  grant(input: I): { readonly key: string; readonly label: string };
  /** The short argument of the progress line, e.g. the path. */
  title(input: I): string;
  /** Rule for this call in addition to permission and mode; null or absent if there is none. */
  readonly rule?: (input: I, place: CallEnvironment) => CallRule | null;
  /**
   * Label of the results: whose data they hold and of what kind. Defaults to nobody's files, or to nothing if the tool
   * needs no permission. A label on the result itself takes precedence.
   */
  readonly brings?: (input: I) => Label;
  /** Data that a call sends out, and its destinations; nothing if absent. */
  readonly sends?: (input: I) => readonly OutgoingData[];
  /** Capabilities of a call, with default arguments if `input` is null; absent if the tool runs no third-party code. */
  readonly capabilities?: (input: I | null, place: CapabilityContext) => Capabilities;
  /** What the approval card shows (the input as JSON if absent), or why the call would fail. Changes nothing. */
  readonly preview?: (input: I, ctx: ToolContext, signal: AbortSignal) => Promise<CallPreview | CallRefusal>;
  /** Runs the call. Failures are returned with `isError`; only aborts and defects throw. */
  execute(input: I, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult>;
  /**
   * Replaces `execute` for a call that waits for a person, a child or a timer. It stores what it waits for and returns
   * null, which parks the run; each wake of the session calls it again until it returns the result. It needs
   * `afterCrash: "replay"`, and idempotency keys made of `ctx.callId`.
   */
  readonly resume?: (input: I, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult | null>;
  /**
   * Replaces `execute` after a restart for an `afterCrash: "reconcile"` call that had journalled an intent: finishes,
   * repeats or refuses the effect.
   */
  readonly reconcile?: (call: InterruptedCall<I>, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult>;
  /**
   * Describes what a call had done when a crash interrupted it and a person stopped the run before it could continue;
   * the signal has aborted already. Changes nothing. If absent, the model only learns that the call had begun.
   */
  readonly describePartialWork?: (input: I, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult>;
}

export interface InterruptedCall<I> {
  readonly input: I;
  readonly intent: WriteIntent;
}

/** A tool without its JSON Schema, which is derived from `input`. */
type ToolDefinition<I> = Omit<Tool<I>, "inputSchema">;

/** Erases the input type, so that catalogues can hold any tool, by making each method parse its input first. */
export function defineTool<I>(definition: ToolDefinition<I>): Tool {
  const { rule, brings, sends, capabilities, preview, resume, reconcile, describePartialWork, ...tool } = definition;
  const parse = (input: unknown): I => tool.input.parse(input);
  return {
    ...tool,
    inputSchema: schemaOf(tool.input),
    grant: (input) => tool.grant(parse(input)),
    title: (input) => tool.title(parse(input)),
    execute: (input, ctx, signal) => tool.execute(parse(input), ctx, signal),
    ...(rule && { rule: (input, place) => rule(parse(input), place) }),
    ...(brings && { brings: (input) => brings(parse(input)) }),
    ...(sends && { sends: (input) => sends(parse(input)) }),
    ...(capabilities && {
      capabilities: (input, place) => capabilities(input === null ? null : parse(input), place),
    }),
    ...(preview && { preview: (input, ctx, signal) => preview(parse(input), ctx, signal) }),
    ...(resume && { resume: (input, ctx, signal) => resume(parse(input), ctx, signal) }),
    ...(reconcile && {
      reconcile: (call, ctx, signal) => reconcile({ ...call, input: parse(call.input) }, ctx, signal),
    }),
    ...(describePartialWork && {
      describePartialWork: (input, ctx, signal) => describePartialWork(parse(input), ctx, signal),
    }),
  };
}

/** Generates the JSON Schema lazily and once, because generating all tools' schemas would dominate a short run. */
export function schemaOf(input: z.ZodType): Tool["inputSchema"] {
  let written: JsonSchema | undefined;
  return () => (written ??= writeSchema(input));
}

function writeSchema(input: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
}
