import type { CommandContext, CommandReply, FormReply } from "../../core/command-line/command.ts";
import { privateMessage } from "../../core/platform/replies.ts";
import type { Form, FormField } from "../../core/protocol/form.ts";
import { inlineCode } from "../../core/text/plain-text.ts";
import { KINDS, type Memory } from "./memory.ts";

const LINE_CHARS = 200;

interface Filled {
  readonly text?: string | undefined;
  readonly scope?: string | undefined;
  readonly kind?: string | undefined;
}

const textField = (value = ""): FormField => ({
  name: "text",
  label: "What to remember",
  required: true,
  kind: "multiline",
  hint: "A sentence that makes sense without its thread.",
  value,
});

const KINDS_WORDS = "working: for hours; episodic: what happened; semantic: facts; procedural: how it is done.";

export function addForm(filled: Filled = {}): FormReply {
  const { text, scope = "channel", kind = "semantic" } = filled;
  const scopes = { name: "scope", label: "Who it is for", choices: ["channel", "me", "workspace"], value: scope };
  const kinds = { name: "kind", label: "Kind of memory", choices: KINDS, value: kind, hint: KINDS_WORDS };
  const chosen = [scopes, kinds].map((field) => ({ ...field, kind: "choice", required: true }) as const);
  const form = { title: "Remember something", command: "memory", line: "add", fields: [textField(text), ...chosen] };
  return reply(form, "Tell me what: `/memory add we deploy on Thursdays`.");
}

export function editForm({ seq, text }: Pick<Memory, "seq" | "text">): FormReply {
  const form = { title: `Change #${seq}`, command: "memory", line: `edit ${seq}`, fields: [textField(text)] };
  return reply(form, `Tell me what it should say: \`/memory edit ${seq} …\`. Now: ${inlineCode(text, LINE_CHARS)}`);
}

/** Reports why a text is refused; in its form, below the field, if the person filled one in. */
export function refusedForm(
  reason: string,
  filled: Filled & { readonly seq?: number },
  { filled: sent }: Pick<CommandContext, "filled">,
): CommandReply {
  const message = privateMessage(`✗ ${reason}`);
  if (sent === null) return message;
  const { seq, text = "" } = filled;
  const { form } = seq === undefined ? addForm(filled) : editForm({ seq, text });
  return { message, form, problems: { text: reason } };
}

/** If the form cannot be opened now, a button offers it again. */
function reply(form: Form, words: string): FormReply {
  const again = { id: `memory:${form.line}`, label: "Fill in the form", style: "primary" } as const;
  return { message: { ...privateMessage(words), buttons: [again] }, form };
}
