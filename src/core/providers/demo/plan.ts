import { assertNever } from "../../protocol/assert-never.ts";
import { type Message, type ToolResultBlock, textOf, toolUsesOf } from "../../protocol/messages.ts";
import { codeBlock } from "../../text/plain-text.ts";
import type { ModelRequest } from "../provider.ts";
import { CAPABILITIES, failed, INTRODUCTION, NOT_UNDERSTOOD, notAllowed, notOffered } from "./answers.ts";
import { type Intent, intentOf } from "./intent.ts";
import { isShell } from "./program.ts";
import { changeSetting, type SettingChange } from "./setting.ts";

/** The demo model's next step: a call after a line of text, or its answer. */
export type Step =
  | {
      readonly type: "call";
      readonly text: string;
      readonly tool: string;
      readonly input: Readonly<Record<string, unknown>>;
    }
  | { readonly type: "answer"; readonly text: string };

interface DoneCall {
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
}

/** The next step, a pure function of the conversation and the offered tools. */
export function nextStep({ messages, tools }: Pick<ModelRequest, "messages" | "tools">): Step {
  const { intent, asked } = lastRequest(messages);
  const done = callsSince(messages, asked);
  const offered = new Set(tools.map(({ name }) => name));
  const step = intent === null ? answer(NOT_UNDERSTOOD) : stepFor(intent, done, offered);
  if (step.type === "answer") return introduced(step.text, messages);
  return offered.has(step.tool) ? step : introduced(notOffered(step.tool), messages);
}

/** The newest request of a person, and its index. A message may contain other text as well. */
function lastRequest(messages: readonly Message[]): { intent: Intent | null; asked: number } {
  const asked = messages.findLastIndex(
    ({ role, context, content }) =>
      role === "user" && context !== true && content.some(({ type }) => type === "text" || type === "user_command"),
  );
  const texts = (messages[asked]?.content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
  return { intent: texts.map(intentOf).find((intent) => intent !== null) ?? null, asked };
}

function callsSince(messages: readonly Message[], asked: number): DoneCall[] {
  const since = messages.slice(asked + 1).flatMap(({ content }) => content);
  const results = new Map<string, ToolResultBlock>();
  for (const block of since) if (block.type === "tool_result") results.set(block.toolUseId, block);
  return toolUsesOf(since).flatMap((call) => {
    const result = results.get(call.id);
    return result === undefined ? [] : [{ tool: call.name, text: textOf(result.content), isError: result.isError }];
  });
}

/** `offered`: names of tools. */
function stepFor(intent: Intent, done: readonly DoneCall[], offered: ReadonlySet<string>): Step {
  const first = done[0];
  switch (intent.type) {
    case "greet":
      return answer(CAPABILITIES);
    case "list":
      return first === undefined
        ? call("glob", { pattern: intent.pattern }, "I'll list the files.")
        : reported(first, { what: "list the files", heading: "These are the files:" });
    case "read":
      return first === undefined
        ? call("read", { path: intent.path }, `I'll read \`${intent.path}\`.`)
        : reported(first, { what: `read \`${intent.path}\``, heading: `\`${intent.path}\`:` });
    case "search":
      return first === undefined
        ? call("grep", searchInput(intent), `I'll search for \`${intent.pattern}\`.`)
        : reported(first, { what: "search", heading: `Matches for \`${intent.pattern}\`:` });
    case "create":
      return first === undefined
        ? call("write", { path: intent.path, content: `${intent.content}\n` }, `I'll create \`${intent.path}\`.`)
        : first.isError
          ? refusedOrFailed(first, `create \`${intent.path}\``)
          : answer(`Done: \`${intent.path}\` is there.${nextChange(intent)}`);
    case "run":
      return first === undefined
        ? program(intent.code, offered)
        : reported(first, { what: "run it", heading: "The result:" });
    case "change":
      return changeStep(intent, done);
    default:
      return assertNever(intent);
  }
}

function searchInput({ pattern, glob }: Extract<Intent, { type: "search" }>) {
  const input = { pattern: pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), output_mode: "content" };
  return glob === null ? input : { ...input, glob };
}

/** Runs a line of shell in the shell, if there is one. */
function program(code: string, offered: ReadonlySet<string>): Step {
  if (offered.has("bash") && isShell(code))
    return call("bash", { command: code }, "I'll run that in the sandbox's shell.");
  return call("js_exec", { code }, "I'll run that in the sandbox.");
}

/** Suggests a change to a file that now contains a setting. */
function nextChange({ content, path }: Extract<Intent, { type: "create" }>): string {
  const [, key, value] = /^(\w+)\s*[=:]\s*(\d+)$/.exec(content.trim()) ?? [];
  return key === undefined ? "" : ` Next, try \`change ${key} to ${Number(value) + 1010} in ${path}\`.`;
}

/** Reads, then edits, then answers: three model calls. */
function changeStep(intent: Extract<Intent, { type: "change" }>, done: readonly DoneCall[]): Step {
  const { key, path, value } = intent;
  const [read, edit] = done;
  if (read === undefined) return call("read", { path }, `I'll look at \`${path}\` first.`);
  if (read.isError) return answer(failed(`read \`${path}\``, read.text));
  const change = changeSetting(unnumbered(read.text), intent);
  if (edit?.isError === true) return refusedOrFailed(edit, `change \`${path}\``);
  if (edit !== undefined) return answer(`Done: \`${key}\` in \`${path}\` is now \`${value}\`${wasBefore(change)}.`);
  switch (change.type) {
    case "edit":
      return call(
        "edit",
        { path, old_string: change.oldString, new_string: change.newString },
        `\`${key}\` is \`${change.oldValue}\`; I'll change it to \`${change.newValue}\`.`,
      );
    case "same":
      return answer(`\`${key}\` in \`${path}\` is \`${value}\` already; I changed nothing.`);
    case "differs":
      return answer(`\`${key}\` in \`${path}\` is \`${change.value}\`, not \`${intent.from}\`; I changed nothing.`);
    case "missing":
      return answer(`I found no \`${key}\` in ${partOf(read.text)}\`${path}\`; I changed nothing.`);
    case "several":
      return answer(
        `\`${key}\` occurs on lines ${change.lines.join(", ")} of \`${path}\`. Name its section too, like \`section.${key}\`; I changed nothing.`,
      );
    default:
      return assertNever(change);
  }
}

/** A long file is read in windows, of which only the first is considered. */
function partOf(readText: string): string {
  return /^\[Lines 1–\d+ of \d+/m.test(readText) ? "the first part of " : "";
}

function wasBefore(change: SettingChange): string {
  return change.type === "edit" ? ` (it was \`${change.oldValue}\`)` : "";
}

/** The file's text without the read tool's line numbers. Lines without a number are the tool's own remarks. */
function unnumbered(text: string): string {
  return text
    .split("\n")
    .flatMap((line) => {
      const numbered = /^\s*\d+\t(.*)$/s.exec(line);
      return numbered === null ? [] : [numbered[1] ?? ""];
    })
    .join("\n");
}

function call(tool: string, input: Record<string, unknown>, text: string): Step {
  return { type: "call", tool, input, text };
}

function answer(text: string): Step {
  return { type: "answer", text };
}

function reported(done: DoneCall, { what, heading }: { what: string; heading: string }): Step {
  if (done.isError) return refusedOrFailed(done, what);
  return answer(
    done.text.trim() === "" ? "There is nothing." : `${heading}\n${codeBlock(done.text.replace(/\n$/, ""), "")}`,
  );
}

/** A call that a person did not allow was not run. That is not a failure, and nothing else is tried. */
function refusedOrFailed({ text }: DoneCall, what: string): Step {
  const [, reason] = /^Not run: (.+?)\.(?:\s|$)/.exec(text) ?? [];
  return answer(reason === undefined ? failed(what, text) : notAllowed(what, reason));
}

/** The first answer of a session introduces the demo model. */
function introduced(text: string, messages: readonly Message[]): Step {
  const answeredBefore = messages.some(
    ({ role, content }) => role === "assistant" && toolUsesOf(content).length === 0 && textOf(content) !== "",
  );
  return answer(answeredBefore ? text : `${INTRODUCTION}\n\n${text}`);
}
