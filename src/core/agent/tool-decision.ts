import type { z } from "zod";
import { isDeferred } from "../context/deferred-tools.ts";
import { matchingTools } from "../context/tool-matching.ts";
import type { CallRecord, WriteIntent } from "../events/call-record.ts";
import { offeredTools, refusal, type ToolAccess } from "../permissions/tool-access.ts";
import type { ToolUseBlock } from "../protocol/messages.ts";
import { errorResult, type ToolResult } from "../protocol/tool-result.ts";
import type { CallEnvironment, CallRule, Tool } from "../tool.ts";
import { EMPTY_LABEL } from "../trust/label.ts";
import { egressRule, type RequestContent } from "./egress/gate.ts";

/**
 * What happens to a call: it is refused with a result for the model, needs people's approval, runs, or is reconciled
 * after a crash.
 */
export type Decision = RefuseDecision | AskDecision | RunDecision | ReconcileDecision;

interface DecidedCall {
  readonly use: ToolUseBlock;
  readonly title: string;
}

export interface RefuseDecision extends DecidedCall {
  readonly type: "refuse";
  readonly result: ToolResult;
  /** True if the call had begun before a restart and is not run again. */
  readonly interrupted: boolean;
}

export interface AskDecision extends DecidedCall {
  readonly type: "ask";
  readonly tool: Tool;
  readonly why: string | null;
  readonly always: boolean;
}

interface RunDecision extends DecidedCall {
  readonly type: "run";
  readonly tool: Tool;
  /** False if the journal already records the call as begun. */
  readonly begins: boolean;
  /** Whether people have allowed the call. */
  readonly approved: boolean;
  /** Identifies what people saw when they allowed it. */
  readonly previewDigest?: string | undefined;
}

interface ReconcileDecision extends DecidedCall {
  readonly type: "reconcile";
  readonly tool: Tool;
  readonly intent: WriteIntent;
  readonly reconcile: NonNullable<Tool["reconcile"]>;
  readonly approved: boolean;
}

export type AllowedCall = RunDecision | ReconcileDecision;

export interface ToolRules {
  readonly tools: readonly Tool[];
  readonly whyMissing: (name: string) => string | null;
  readonly access: ToolAccess;
  readonly environment: CallEnvironment;
}

export interface TurnRules extends ToolRules {
  readonly request: RequestContent;
}

/** Maximum length of an invalid argument text that is quoted back, in characters. */
const QUOTED_JSON = 500;
/** Maximum number of similar names suggested for an unknown tool. */
const MAX_NEAR = 3;
/** Maximum length of a schema in an error, in characters. A longer one is left to tool_search. */
const MAX_SCHEMA = 8_000;

/**
 * Checks a call in this order: the tool exists, the input is JSON that fits its schema, role and mode allow the call,
 * and no approval is needed.
 */
export function decide(use: ToolUseBlock, record: CallRecord | undefined, rules: TurnRules): Decision {
  const { tools, access } = rules;
  const tool = tools.find((candidate) => candidate.name === use.name);
  if (record?.status === "begun") return recover(use, record, { tool, rules });
  const refuse = (text: string) => refuseCall(use, titleOf(tools, use), text);

  if (tool === undefined) {
    return refuse(rules.whyMissing(use.name) ?? unknownTool(use.name, offeredTools(tools, access)));
  }
  if (use.invalidJson !== undefined) return refuse(invalidJson(use.name, use.invalidJson));
  const parsed = tool.input.safeParse(use.input);
  if (!parsed.success) return refuse(invalidInput(tool, parsed.error));
  const denied = refusal(tool, access);
  if (denied !== null) return refuse(denied);
  const title = titleOf(tools, use);
  const asked = askFor(tool, use.input, rules);
  if (asked.type === "refuse") return refuse(asked.reason);
  if (asked.type === "ask") return { ...asked, use, title, tool };
  return { type: "run", use, title, tool, begins: true, approved: false };
}

/** Refuses a call, with `text` for the model. */
export function refuseCall(use: ToolUseBlock, title: string, text: string): RefuseDecision {
  return { type: "refuse", use, title, result: ownErrorResult(text), interrupted: false };
}

/** An error result in the program's own words. It adds nothing to the labels, since the call has not run. */
export function ownErrorResult(text: string, summary?: string): ToolResult {
  return { ...errorResult(text, summary), label: EMPTY_LABEL };
}

type AskNeed =
  | { readonly type: "none" }
  | { readonly type: "refuse"; readonly reason: string }
  | Pick<AskDecision, "type" | "why" | "always">;

/**
 * Whether the call needs approval. In write mode, calls that change or run something do; a tool's rule may demand
 * approval of any call. A granted tool skips approval unless its rule always demands it.
 */
function askFor(tool: Tool, input: unknown, rules: TurnRules): AskNeed {
  const { environment, access } = rules;
  const isFree = environment.mode === "agi" || (access.granted?.includes(tool.name) ?? false);
  const rule = ruleFor(tool, input, rules);
  if (rule?.type === "refuse") return rule;
  if (rule !== null && (rule.always || !isFree)) return rule;
  const changes = tool.permission === "write" || tool.permission === "execute";
  return changes && environment.mode === "write" && !isFree
    ? { type: "ask", why: null, always: false }
    : { type: "none" };
}

/** Combines the tool's own rule with the egress rule. If a rule throws, the call is refused. */
function ruleFor(tool: Tool, input: unknown, rules: TurnRules): CallRule | null {
  try {
    const own = tool.rule?.(input, rules.environment) ?? null;
    if (own?.type === "refuse") return own;
    const leaving = egressRule(tool, input, rules);
    if (own === null || leaving === null || leaving.type === "refuse") return leaving ?? own;
    return { ...leaving, why: `${own.why} ${leaving.why}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: "refuse", reason: `Not run: it could not be determined whether ${tool.name} may do this (${why}).` };
  }
}

/**
 * Decides about a call that had begun before a restart. It was already allowed then, so `approved` only tells whether
 * that took an approval.
 */
function recover(
  use: ToolUseBlock,
  { intent }: CallRecord,
  { tool, rules }: { readonly tool: Tool | undefined; readonly rules: TurnRules },
): Decision {
  const isValid = tool?.input.safeParse(use.input).success ?? false;
  const approved = tool !== undefined && isValid && askFor(tool, use.input, rules).type === "ask";
  const title = titleOf(rules.tools, use);
  const mayRun = tool?.afterCrash === "replay" || (tool?.afterCrash === "reconcile" && intent === null);
  if (tool !== undefined && mayRun) return { type: "run", use, title, tool, begins: false, approved };
  if (tool?.afterCrash === "reconcile" && intent !== null && tool.reconcile !== undefined) {
    return { type: "reconcile", use, title, tool, intent, reconcile: tool.reconcile, approved };
  }
  const text =
    "interrupted by a restart; not run again. Anything it had already done remains; check before you repeat it.";
  return { type: "refuse", use, title, result: ownErrorResult(text, "interrupted"), interrupted: true };
}

/** The short argument in the progress line; empty if the input is invalid. */
export function titleOf(tools: readonly Tool[], { name, input }: Pick<ToolUseBlock, "name" | "input">): string {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined || !tool.input.safeParse(input).success) return "";
  return tool.title(input);
}

function unknownTool(name: string, offered: readonly Tool[]): string {
  const near = matchingTools(offered, name).slice(0, MAX_NEAR);
  const meant = near.length === 0 ? "" : ` Did you mean ${near.map((tool) => tool.name).join(" or ")}?`;
  const names = offered.filter((tool) => !isDeferred(tool)).map((tool) => tool.name);
  return `Unknown tool: ${name}.${meant} Available: ${names.length === 0 ? "none" : names.sort().join(", ")}.`;
}

function invalidJson(name: string, text: string): string {
  const quoted = text.length > QUOTED_JSON ? `${text.slice(0, QUOTED_JSON)}…` : text;
  return `The input of ${name} is not valid JSON, so it was not run. Call again with a JSON object. Received: ${quoted}`;
}

/** Explains invalid input. For a deferred tool it adds the schema, which the model may not have looked up. */
function invalidInput(tool: Tool, error: z.ZodError): string {
  const problems = error.issues.map((issue) => `- ${issue.path.map(String).join(".") || "input"}: ${issue.message}`);
  const schema = isDeferred(tool) ? JSON.stringify(tool.inputSchema()) : "";
  const schemaText = schema === "" || schema.length > MAX_SCHEMA ? "" : `\nIts schema: ${schema}`;
  return `The input of ${tool.name} does not match its schema, so it was not run.\n${problems.join("\n")}${schemaText}`;
}
