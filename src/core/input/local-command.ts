import { openLoop } from "../agent/query.ts";
import type { Query } from "../agent/query-input.ts";
import { runCall } from "../agent/tool-call.ts";
import { type AllowedCall, type Decision, decide, refusing } from "../agent/tool-decision.ts";
import type { QueryConfig } from "../agents/query-config.ts";
import { OUTPUT_CHARS, renderBlock } from "../context/render-block.ts";
import type { TurnContext } from "../engine/engine.ts";
import { type ApprovalRules, decidersSentence } from "../permissions/deciders.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { QueryEvent } from "../protocol/events.ts";
import { type Author, type ContentBlock, type Message, type ToolUseBlock, textOf } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import type { Store } from "../store/store.ts";
import { NOTHING_NEW } from "../trust/label.ts";

export type LocalOutput = Extract<ContentBlock, { type: "user_local_command_output" }>;

/** A command that a person typed. */
export interface TypedShell {
  readonly command: string;
  /** The place of its event in the inbox. */
  readonly seq: number;
  readonly author: Author;
  /** Whether its author may decide what is asked of people. */
  readonly decides?: boolean;
}

export type RunLocalCommand = (typed: TypedShell) => Promise<LocalOutput>;

export interface LocalCommandOptions {
  readonly store: Store;
  readonly context: Pick<TurnContext, "runId" | "signal" | "transaction">;
  readonly query: Query;
  readonly approvals: ApprovalRules;
  /** The live message. */
  readonly show: (event: QueryEvent) => void;
}

/** The tool that runs what people type after `!`. */
const SHELL = "bash";
/** What shells answer for a command that may not be run. */
const NOT_RUN = 126;

/**
 * Shell commands that people type: run as calls of the run's turn 0, so that they are journalled, shown and told of as any call.
 * Nobody is asked: where a decision is needed, only those who may make it can type the command. The agent's access role and
 * the mode hold. One after the other.
 */
export function createLocalCommands(options: LocalCommandOptions): RunLocalCommand {
  let last: Promise<unknown> = Promise.resolve();
  return (typed) => {
    const next = last.then(() => run(typed, options));
    last = next.catch(() => null);
    return next;
  };
}

async function run(
  { command, seq, author, decides = false }: TypedShell,
  { store, context, query, show, approvals }: LocalCommandOptions,
): Promise<LocalOutput> {
  const use: ToolUseBlock = { type: "tool_use", id: `local_${seq}`, name: SHELL, input: { command } };
  const session = { id: query.runId, sessionId: query.sessionId };
  await context.transaction(`local:${seq}:asked`, (tx) => tx.toolCalls.add(session, 0, [use]));
  const record = await recordOf(store, query.runId, use.id);
  if (record?.status !== "ended") {
    const { run: open, rules, query: logged } = await openLoop({ ...query, config: asPerson(query.config) });
    // A person's own words led to it, and no other's.
    const request = { label: NOTHING_NEW, known: () => ({ addresses: [], texts: [] }) };
    const asked = decide(use, record, { ...rules, request });
    const decision =
      asked.type === "ask" && !decides ? refusing(use, asked.title, notTheirs(author, approvals)) : asked;
    const call = allowedCall(decision);
    if (decision.type === "refuse") await open.callEnded(use.id, decision.result, { durationMs: 0, mayRepeat: false });
    else if (call !== null) await runCall({ query: logged, run: open, call, emit: show }, context.signal);
  }
  const ended = await recordOf(store, query.runId, use.id);
  return outputOf(command, ended?.result ?? null);
}

function notTheirs({ name }: Author, approvals: ApprovalRules): string {
  const who = decidersSentence(name, approvals);
  return `Not run: it needs a decision, and @${name} may not make it. ${who} Say in words what is to be done, and I ask.`;
}

/** What a person does in the session, who hands nothing on. */
function asPerson(config: QueryConfig): QueryConfig {
  const { delegation, agentDefinition, ...rest } = config;
  if (delegation === undefined) return config;
  return { ...rest, agentDefinition: { ...agentDefinition, access: delegation.access } };
}

async function recordOf(store: Store, runId: string, callId: string) {
  const calls = await store.toolCalls.ofRun(runId);
  return calls.find((call) => call.callId === callId);
}

/** What would be asked of people counts as allowed. */
function allowedCall(decision: Decision): AllowedCall | null {
  switch (decision.type) {
    case "refuse":
      return null;
    case "ask": {
      const { use, title, tool } = decision;
      return { type: "run", use, title, tool, begins: true, approved: true };
    }
    case "run":
    case "reconcile":
      return { ...decision, approved: true };
    default:
      return assertNever(decision);
  }
}

/** One without exit code did not come from a command. */
function outputOf(command: string, result: ToolResult | null): LocalOutput {
  const block = { type: "user_local_command_output", command } as const;
  if (result === null) return { ...block, stdout: "", stderr: "Stopped before it began.", exitCode: NOT_RUN };
  const text = textOf(result.content);
  const { exitCode } = result;
  if (exitCode === undefined) {
    const [stdout, stderr] = result.isError ? ["", text] : [text, ""];
    return { ...block, stdout, stderr, exitCode: result.isError ? NOT_RUN : 0 };
  }
  const [stdout, stderr] = apart(text.split("\n").slice(1).join("\n"));
  return { ...block, stdout, stderr, exitCode };
}

const ERRORS = "stderr:\n";

/** What was printed below the result's first line, and the errors below their heading. */
function apart(printed: string): [stdout: string, stderr: string] {
  if (printed.startsWith(ERRORS)) return ["", printed.slice(ERRORS.length)];
  const stdout = printed.replace(/^stdout:\n/, "");
  const at = printed.startsWith("stdout:\n") ? stdout.lastIndexOf(`\n${ERRORS}`) : -1;
  return at === -1 ? [stdout, ""] : [stdout.slice(0, at), stdout.slice(at + 1 + ERRORS.length)];
}

/** What one event of the inbox brought into the history. */
export interface TakenEvent {
  readonly seq: number;
  readonly messages: readonly Message[];
}

/**
 * The run's answer when people typed commands and said nothing: what the commands printed. Null when the model is to answer.
 * The model reads the outputs with the next thing that is said.
 */
export function localAnswer(taken: readonly TakenEvent[]): string | null {
  const addressed = taken.flatMap(({ messages }) => messages).filter(({ context }) => context !== true);
  const outputs = addressed.flatMap(({ content }) => content.filter(isLocalOutput));
  const isAll = addressed.every(({ content }) => content.every(isLocalOutput));
  return isAll && outputs.length > 0 ? outputs.map(renderBlock).join("\n\n") : null;
}

/** Posts what commands printed, once, for people to see before the model answers; what a message does not hold whole is attached. */
export async function showOutputs(
  taken: readonly TakenEvent[],
  { context, maxChars }: { readonly context: Pick<TurnContext, "post">; readonly maxChars: number },
): Promise<void> {
  for (const { seq, messages } of taken) {
    const outputs = messages.flatMap(({ content }) => content.filter(isLocalOutput));
    if (outputs.length === 0) continue;
    const whole = outputs.map(renderBlock).join("\n\n");
    const isLong = whole.length > Math.min(maxChars, OUTPUT_CHARS);
    const markdown = isLong ? outputs.map((output) => renderBlock({ ...output, ...ATTACHED })).join("\n") : whole;
    const data = new TextEncoder().encode(outputs.map(({ stdout, stderr }) => `${stdout}${stderr}`).join("\n"));
    const files = isLong ? [{ name: "output.txt", mediaType: "text/plain", data }] : [];
    await context.post(`local:${seq}`, { lane: "answer", markdown, tone: "plain", buttons: [], files });
  }
}

const ATTACHED = { stdout: "(attached)", stderr: "" };

function isLocalOutput(block: ContentBlock): block is LocalOutput {
  return block.type === "user_local_command_output";
}
