import { openLoop } from "../agent/loop.ts";
import type { Query } from "../agent/query-input.ts";
import { runCall } from "../agent/tool-call.ts";
import { type AllowedCall, type Decision, decide, refuseCall } from "../agent/tool-decision.ts";
import type { QueryConfig } from "../agents/query-config.ts";
import { OUTPUT_CHARS, renderBlock } from "../context/render-block.ts";
import type { TurnContext } from "../engine/engine.ts";
import { KeyedMutex } from "../keyed-mutex.ts";
import { type ApprovalRules, decidersSentence } from "../permissions/deciders.ts";
import { answerMessage } from "../platform/replies.ts";
import { assertNever } from "../protocol/assert-never.ts";
import type { QueryEvent } from "../protocol/events.ts";
import { type Author, type ContentBlock, type Message, type ToolUseBlock, textOf } from "../protocol/messages.ts";
import type { ToolResult } from "../protocol/tool-result.ts";
import type { Store } from "../store/store.ts";
import { EMPTY_LABEL } from "../trust/label.ts";

export type LocalOutput = Extract<ContentBlock, { type: "user_local_command_output" }>;

export interface TypedShell {
  readonly command: string;
  /** Sequence number of its event in the inbox. */
  readonly seq: number;
  readonly author: Author;
  /** Whether the author may decide on approvals. */
  readonly decides?: boolean;
}

export type RunLocalCommand = (typed: TypedShell) => Promise<LocalOutput>;

export interface LocalCommandOptions {
  readonly store: Store;
  readonly context: Pick<TurnContext, "runId" | "signal" | "transaction">;
  readonly query: Query;
  readonly approvals: ApprovalRules;
  /** Shows an event in the live message. */
  readonly show: (event: QueryEvent) => void;
}

/** The tool that runs commands typed after `!`. */
const SHELL = "bash";
/** Exit code that shells use for a command that may not be run. */
const NOT_RUN = 126;

/**
 * Runs shell commands that people type, one after another, as calls of turn 0 of the run, so that they are journalled
 * and shown like any call. Nobody is asked for approval: where one is needed, only people who may give it can type the
 * command. The agent's access role and the mode apply.
 */
export function createLocalCommands(options: LocalCommandOptions): RunLocalCommand {
  const commands = new KeyedMutex();
  return (typed) => commands.run("run", () => run(typed, options));
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
    // Only the person's own words led to the call.
    const request = { label: EMPTY_LABEL, known: () => ({ addresses: [], texts: [] }) };
    const asked = decide(use, record, { ...rules, request });
    const decision =
      asked.type === "ask" && !decides ? refuseCall(use, asked.title, notTheirs(author, approvals)) : asked;
    const call = allowedCall(decision);
    if (decision.type === "refuse") await open.callEnded(use.id, decision.result, { durationMs: 0, mayRepeat: false });
    else if (call !== null) await runCall({ query: logged, run: open, call, emit: show }, context.signal);
  }
  const ended = await recordOf(store, query.runId, use.id);
  return outputOf(command, ended?.result ?? null);
}

function notTheirs({ name }: Author, approvals: ApprovalRules): string {
  const who = decidersSentence(name, approvals);
  return `Not run: it needs a decision that @${name} can't make. ${who} Describe what you want done, and I'll ask.`;
}

/**
 * The config for a person's own command. A delegating agent's narrowed access does not apply, since the person
 * delegates nothing.
 */
function asPerson(config: QueryConfig): QueryConfig {
  const { delegation, agentDefinition, ...rest } = config;
  if (delegation === undefined) return config;
  return { ...rest, agentDefinition: { ...agentDefinition, access: delegation.access } };
}

async function recordOf(store: Store, runId: string, callId: string) {
  const calls = await store.toolCalls.ofRun(runId);
  return calls.find((call) => call.callId === callId);
}

/** Turns a decision into a call that may run. An approval counts as given. */
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

/** Converts a result to a command's output. A result without an exit code did not come from a command. */
function outputOf(command: string, result: ToolResult | null): LocalOutput {
  const block = { type: "user_local_command_output", command } as const;
  if (result === null) return { ...block, stdout: "", stderr: "Stopped before it started.", exitCode: NOT_RUN };
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

/** Splits what a command printed, below the result's first line, into stdout and stderr. */
function apart(printed: string): [stdout: string, stderr: string] {
  if (printed.startsWith(ERRORS)) return ["", printed.slice(ERRORS.length)];
  const stdout = printed.replace(/^stdout:\n/, "");
  const at = printed.startsWith("stdout:\n") ? stdout.lastIndexOf(`\n${ERRORS}`) : -1;
  return at === -1 ? [stdout, ""] : [stdout.slice(0, at), stdout.slice(at + 1 + ERRORS.length)];
}

/** The messages that one inbox event brought into the history. */
export interface TakenEvent {
  readonly seq: number;
  readonly messages: readonly Message[];
}

/**
 * The output of typed commands, which is the run's answer if people wrote nothing else; the model then reads it with
 * the next message. Null if the model should answer now.
 */
export function localCommandAnswer(taken: readonly TakenEvent[]): string | null {
  const addressed = taken.flatMap(({ messages }) => messages).filter(({ context }) => context !== true);
  const outputs = addressed.flatMap(({ content }) => content.filter(isLocalOutput));
  const isAll = addressed.every(({ content }) => content.every(isLocalOutput));
  return isAll && outputs.length > 0 ? outputs.map(renderBlock).join("\n\n") : null;
}

/**
 * Posts the output of typed commands once, so that people see it before the model answers. Long output is attached as a
 * file.
 */
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
    await context.post(`local:${seq}`, answerMessage(markdown, files));
  }
}

const ATTACHED = { stdout: "(attached)", stderr: "" };

function isLocalOutput(block: ContentBlock): block is LocalOutput {
  return block.type === "user_local_command_output";
}
