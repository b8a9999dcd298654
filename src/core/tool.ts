import { z } from "zod";
import type { Mode, Permission, QueryConfig } from "./agents/query-config.ts";
import type { Capabilities, CapabilityContext } from "./capabilities.ts";
import type { WriteIntent } from "./events/call-record.ts";
import type { ToolUseBlock } from "./protocol/messages.ts";
import type { PlanStep } from "./protocol/plan.ts";
import type { Attachment, OutgoingMessage, PlatformLimits, PostedMessage, ThreadMessage } from "./protocol/platform.ts";
import type { ToolResult } from "./protocol/tool-result.ts";
import type { ToolSpec } from "./providers/provider.ts";
import type { Sending, Sink } from "./trust/egress.ts";
import type { HostRules } from "./trust/host-patterns.ts";
import type { Label } from "./trust/label.ts";

type JsonSchema = ToolSpec["inputSchema"];

/** What a restart may do with a call that had begun. */
export type AfterCrash = "replay" | "reconcile" | "never";

/** The thread of a call's session. */
export interface ToolThread {
  readonly limits: Pick<PlatformLimits, "messageChars" | "editChars" | "attachmentBytes">;
  /** Posts once per key and run, also across a crash. */
  post(key: string, message: OutgoingMessage): Promise<PostedMessage>;
  /** What was posted under the key ends as this, durably: people see it soon, once. */
  close(key: string, last: OutgoingMessage): Promise<void>;
  /** The root and the newest messages, oldest first; of the channel where the platform lets us read it, else none. */
  fetch(from: "thread" | "channel", limit: number, signal: AbortSignal): Promise<readonly ThreadMessage[]>;
  /** The bytes of a file of one of these. */
  fetchFile(attachment: Attachment, signal: AbortSignal): Promise<Uint8Array>;
}

/** US dollars of the run, of its session, and of everything today (UTC). */
export interface Spending {
  readonly runUsd: number;
  readonly sessionUsd: number;
  readonly dayUsd: number;
}

/** What every call of a run is given alike. */
export interface RunContext extends HostRules {
  readonly sessionId: string;
  readonly runId: string;
  /** Who has asked. */
  readonly personId: string;
  /** `slack:C1`: what per-channel limits count by. */
  readonly channelKey: string;
  readonly config: QueryConfig;
  /** Absolute path of the only directory that calls may touch. */
  readonly sandboxRoot: string;
  /** Nobody is there to answer questions (a job). */
  readonly nonInteractive: boolean;
  readonly thread: ToolThread;
  /** What has been spent until now; calls whose price is unknown are not in it. */
  spent(): Promise<Spending>;
}

export interface ToolContext extends RunContext {
  readonly callId: string;
  /** True when the agent's access role forbids writes: enforced in the sandbox host, not in the guest. */
  readonly readOnly: boolean;
  /** The label of the request that led to the call. */
  readonly label: Label;
  /** A person has allowed this very call, or a grant holds for it. */
  readonly approved: boolean;
  /** The digest of what people saw when they allowed the call. */
  readonly previewDigest?: string;
  /** The state that the tool has left in the session (`ToolResult.toolState`); null when there is none. */
  readonly toolState: string | null;
  /** sha256 of sandbox files as this session last read or wrote them, by normalised relative path. */
  readonly knownFiles: ReadonlyMap<string, string>;
  /** The addresses that the request holds and no model has made up. */
  knownAddresses(): readonly string[];
  /** Journals a write intent; resolves once it is durable. */
  intend(intent: WriteIntent): Promise<void>;
  /** Tells the thread that the call waits for its turn in the sandbox. */
  queued(before: number): void;
  /** Tells the thread what the call waits for, e.g. `@ana`, `14:05 UTC`. */
  waits(what: string): void;
  /** Tells the thread how far the call is, in a few words; empty when it works and no more is known. */
  progress(text: string): void;
  /** Shows the steps of the session's plan, as they stand now. */
  showPlan(steps: readonly PlanStep[]): void;
}

/** What a tool says of one call beside its permission: that a person must be asked, or that the call is refused. */
export type CallRule =
  /** `always`: also in agi mode, and no grant is remembered. `why` is a sentence for the card. */
  | { readonly type: "ask"; readonly why: string; readonly always: boolean }
  | { readonly type: "refuse"; readonly reason: string };

/** What a call is judged by. */
export interface CallEnvironment extends HostRules {
  readonly mode: Mode;
  /** Absolute path of the only directory that the call may touch. */
  readonly sandboxRoot: string;
  /** Hosts that data may go to; none when left out. */
  readonly sinks?: readonly Sink[];
  /** Nobody is there to be asked (a job). */
  readonly nonInteractive?: boolean;
  /** As the session knows them now (ToolContext.knownFiles). */
  readonly knownFiles?: ReadonlyMap<string, string>;
}

/** A call that would fail is not asked for; the model is told why. */
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
  /** Identifies what was shown where that may change until the call runs, for the call to compare (`ToolContext.previewDigest`). */
  readonly previewDigest?: string;
  /** What it runs with besides, a line for each. */
  readonly facts?: readonly string[];
  /** False: what it will do is not known before it runs, so that nothing is remembered of its approval. */
  readonly isRepeatable?: false;
  /** What the call may touch: `may change files in the sandbox of this channel · no network`. */
  readonly reach: string;
  /** What the buttons of a card of its own say, where that tells more than allowing and denying. */
  readonly answers?: { readonly allow: string; readonly deny: string };
}

/** The arguments as they are. */
export function plainPreview({ name, input }: Pick<ToolUseBlock, "name" | "input">, title: string): CallPreview {
  const question = `Run ${name}${title === "" ? "" : ` ${title}`}?`;
  return { question, language: "json", text: JSON.stringify(input, null, 2), reach: "" };
}

/** A tool in the few words that each request can afford. */
export interface Offer {
  readonly about: string;
  /** What is said of each argument that most calls need, empty where its name says enough; others are left out. */
  readonly arguments: Readonly<Record<string, string>>;
}

/** What stands in place of a tool that is found rather than offered (context/deferred-tools.ts). */
export interface Deferred {
  /** What it is for, in half a line. */
  readonly about: string;
  /** How the names of a group begin: its tools share one line, in which they are only named. */
  readonly group?: string;
  /** What whoever finds the tool should read beside its description; the same text is told once. */
  readonly manual?: () => string;
}

export interface Tool<I = unknown> {
  /** `[A-Za-z0-9_-]{1,64}`. */
  readonly name: string;
  readonly description: string;
  /** The origin of the description, where it is somebody's that nobody answers for. */
  readonly toldBy?: string;
  /** How requests tell of it, where that is shorter; tool_search tells the whole. */
  readonly offer?: Offer;
  /** Set: few runs need it. */
  readonly deferred?: Deferred;
  readonly input: z.ZodType<I>;
  /** `input` as the model reads it. */
  readonly inputSchema: () => JsonSchema;
  readonly permission: Permission;
  /** The only access role that has it; absent: every role that may. */
  readonly onlyFor?: string;
  /** False: a barrier among the turn's calls. */
  readonly parallel: boolean;
  readonly afterCrash: AfterCrash;
  /** What a call changes is not seen here: unless its result says otherwise, it may have changed something. */
  readonly changesUnseen?: boolean;
  /** Each call is given the state that the one before it in the session has left (`ToolContext.toolState`). */
  readonly keepsState?: true;
  /** What is remembered of a call holds only while its preview has the same digest. */
  readonly grantBindsPreview?: true;
  /** What “allow for this session / always” remembers, and how the card says it. */
  grant(input: I): { readonly key: string; readonly label: string };
  /** The short argument of the progress line, e.g. the path. */
  title(input: I): string;
  /** What holds for this call beside permission and mode; null or absent: nothing. */
  readonly rule?: (input: I, place: CallEnvironment) => CallRule | null;
  /**
   * Whose a result is and what it holds; absent: nobody's, and files unless the tool needs no permission at all. A result's
   * own label comes before it.
   */
  readonly brings?: (input: I) => Label;
  /** What leaves by a call, and where to; absent: nothing does. */
  readonly sends?: (input: I) => readonly Sending[];
  /** All that a call may reach and use, or (null) one with default arguments; absent: it runs nothing of others. */
  readonly capabilities?: (input: I | null, place: CapabilityContext) => Capabilities;
  /** What the approval card shows, or why the call would fail; absent: the input as JSON. Reads only. */
  readonly preview?: (input: I, ctx: ToolContext, signal: AbortSignal) => Promise<CallPreview | CallRefusal>;
  /** Failure is data (`isError`); only aborts and defects throw. */
  execute(input: I, ctx: ToolContext, signal: AbortSignal): Promise<ToolResult>;
  /**
   * In place of `execute` for a call that waits for a person, a child or a timer: makes durable what it waits for and
   * answers null, whereupon the run parks; called again each time the session is woken, until it has the result. Needs
   * `afterCrash: "replay"`: what it does is done once by its own keys (`ctx.callId`).
   */
  readonly resume?: (input: I, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult | null>;
  /**
   * For `afterCrash: "reconcile"`: called instead of `execute` after a restart for a call that had
   * journalled an intent; finishes, repeats or refuses the effect.
   */
  readonly reconcile?: (call: InterruptedCall<I>, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult>;
  /**
   * What a call had done when a crash cut it, where it is not taken up again since a person has stopped the run meanwhile:
   * the signal has aborted. Changes nothing. Absent: the model only reads that the call had begun.
   */
  readonly describePartialWork?: (input: I, ctx: ToolContext, signal: AbortSignal) => Promise<ToolResult>;
}

export interface InterruptedCall<I> {
  readonly input: I;
  readonly intent: WriteIntent;
}

/** A tool as it is written down: its schema follows from its input. */
type ToolDefinition<I> = Omit<Tool<I>, "inputSchema">;

/** Keeps the input's type inside the tool while catalogues hold tools of any input: each method parses first. */
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

/** Written when first asked for, and once: writing those of all tools anew would be what a short run is busiest with. */
export function schemaOf(input: z.ZodType): Tool["inputSchema"] {
  let written: JsonSchema | undefined;
  return () => (written ??= writeSchema(input));
}

function writeSchema(input: z.ZodType): JsonSchema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(input, { io: "input", unrepresentable: "any" });
  return schema;
}
