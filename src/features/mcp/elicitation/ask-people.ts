import type { ElicitRequestFormParams, ElicitResult } from "@modelcontextprotocol/client";
import type { ToolContext } from "../../../core/tool.ts";
import { foreignText } from "../foreign-text.ts";
import { type Field, fieldLine, fieldsOf } from "./fields.ts";
import { type FilledIn, readReply, standardReply } from "./reply.ts";

/**
 * Asks in the thread of a call and waits for the answer; null if the question was withdrawn. `key` distinguishes the
 * questions of one call.
 */
export type AskInThread = (
  question: { readonly key: string; readonly question: string; readonly options: readonly string[] },
  ctx: ToolContext,
  signal: AbortSignal,
) => Promise<{ readonly choice: number | null; readonly text: string } | null>;

/** Maximum length of a server's own words, in characters. */
const MESSAGE_CHARS = 600;
/** Maximum length of a whole question, in characters. Source: the tool ask_user_question. */
const QUESTION_CHARS = 2_400;
/** How often a form is asked before it is cancelled because no answer fits it. */
const TRIES = 3;

export interface AskArgs {
  readonly server: string;
  readonly ask: AskInThread;
  readonly ctx: ToolContext;
  /** Counts the forms of the call. */
  readonly number: number;
}

/** Asks a server's request as a question in the thread. The person accepts with values, declines or cancels. */
export async function askPeople(
  request: ElicitRequestFormParams,
  { server, ask, ctx, number }: AskArgs,
  signal: AbortSignal,
): Promise<ElicitResult> {
  const fields = fieldsOf(request);
  if (fields === null || ctx.nonInteractive) return { action: "cancel" };
  const buttons = buttonsFor(fields);
  let problems: readonly string[] = [];
  for (let tries = 0; tries < TRIES; tries++) {
    const question = questionText({ server, message: request.message, fields, problems });
    const options = [...buttons.map(({ label }) => label), "Decline", "Cancel"];
    const answer = await ask({ key: `form-${number}-${tries}`, question, options }, ctx, signal);
    if (answer === null || answer.choice === buttons.length + 1) return { action: "cancel" };
    if (answer.choice === buttons.length) return { action: "decline" };
    const filled = buttons[answer.choice ?? -1]?.filled ?? readReply(fields, answer.text);
    if (filled.type === "filled") return { action: "accept", content: filled.content };
    ({ problems } = filled);
  }
  return { action: "cancel" };
}

interface FormButton {
  readonly label: string;
  readonly filled: FilledIn;
}

/** Maximum number of buttons beside Decline and Cancel. */
const MAX_BUTTONS = 3;

function buttonsFor(fields: readonly Field[]): FormButton[] {
  if (fields.length === 0) return [{ label: "Accept", filled: { type: "filled", content: {} } }];
  const [only] = fields;
  if (fields.length === 1 && only?.kind === "boolean") {
    return [choosing("Yes", { [only.name]: true }), choosing("No", { [only.name]: false })];
  }
  if (fields.length === 1 && only?.kind === "choice" && only.choices.length <= MAX_BUTTONS) {
    return only.choices.map(({ value, label }) => choosing(label, { [only.name]: value }));
  }
  const filled = standardReply(fields);
  return filled.type === "filled" ? [{ label: "Accept as it is", filled }] : [];
}

function choosing(label: string, content: Record<string, string | boolean>): FormButton {
  return { label, filled: { type: "filled", content } };
}

interface Question {
  readonly server: string;
  readonly message: string;
  readonly fields: readonly Field[];
  readonly problems: readonly string[];
}

function questionText({ server, message, fields, problems }: Question): string {
  const how = fields.length > 1 ? ["Reply with one line each, like `name: value`."] : [];
  const lines = [
    ...(problems.length === 0 ? [] : [`That doesn't fit: ${problems.join(" ")}`]),
    `The MCP server ${server} asks: ${foreignText(message, MESSAGE_CHARS)}`,
    ...fields.map(fieldLine),
    ...how,
  ];
  return foreignText(lines.join("\n"), QUESTION_CHARS);
}
