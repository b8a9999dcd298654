import type { types } from "@slack/bolt";
import { z } from "zod";
import { eventKey } from "../../core/events/event-key.ts";
import type { InboundCommand } from "../../core/platform/inbound.ts";
import { type ThreadRef, threadRefSchema } from "../../core/platform/thread.ts";
import type { Form, FormField, FormProblems } from "../../core/protocol/form.ts";
import { cut } from "../../core/text/plain-text.ts";
import { fittedFields } from "../render/form-fields.ts";
import { callSlack } from "./errors.ts";
import { channelKind, type InboundDeps, placeOf } from "./inbound.ts";
import {
  CHOICES,
  FORM_FIELDS,
  FORM_TITLE_CHARS,
  INPUT_CHARS,
  INPUT_LABEL_CHARS,
  LABEL_CHARS,
  METADATA_CHARS,
} from "./limits.ts";
import type { SlackWeb } from "./web.ts";
import { type FormSubmission, formSubmissionSchema } from "./wire.ts";

export const FORM_CALLBACK = "deckhand_form";
const INPUT = "value";

/** Data stored in the form itself, since a submission names neither its thread nor its purpose. */
const metadataSchema = z.object({ command: z.string(), line: z.string(), thread: threadRefSchema });

/** Opens a form after a click or a command; false if its metadata is too long, or none of its fields fits. */
export async function openForm(
  web: SlackWeb,
  form: Form,
  { thread, triggerId }: { readonly thread: ThreadRef; readonly triggerId: string },
): Promise<boolean> {
  const { command, line } = form;
  const metadata = JSON.stringify({ command, line, thread });
  const view = modal(form, metadata);
  if (metadata.length > METADATA_CHARS || view.blocks.length === 0) return false;
  await callSlack("show you a form", () => web.views.open({ trigger_id: triggerId, view }));
  return true;
}

function modal({ title, fields }: Form, metadata: string): types.ModalView {
  return {
    type: "modal",
    callback_id: FORM_CALLBACK,
    private_metadata: metadata,
    title: { type: "plain_text", text: cut(title, FORM_TITLE_CHARS) },
    submit: { type: "plain_text", text: "Go ahead" },
    close: { type: "plain_text", text: "Cancel" },
    blocks: fittedFields(fields, { fields: FORM_FIELDS, chars: INPUT_CHARS }).map(block),
  };
}

function block(field: FormField): types.InputBlock {
  const { name, label, required, hint } = field;
  return {
    type: "input",
    block_id: name,
    optional: !required,
    label: { type: "plain_text", text: cut(label, INPUT_LABEL_CHARS) },
    ...(hint === undefined ? {} : { hint: { type: "plain_text", text: cut(hint, INPUT_LABEL_CHARS) } }),
    element: element(field),
  };
}

function element({ kind, value = "", choices = [] }: FormField): types.InputBlock["element"] {
  if (kind === "channel") {
    const filter = {
      include: ["public", "private"],
      exclude_bot_users: true,
    } satisfies types.ConversationsSelect["filter"];
    const initial = value.startsWith("C") || value.startsWith("G") ? { initial_conversation: value } : {};
    return { type: "conversations_select", action_id: INPUT, filter, ...initial };
  }
  const isListed = choices.length <= CHOICES && choices.every((choice) => choice.length <= LABEL_CHARS);
  if (kind === "choice" && choices.length > 0 && isListed) {
    const chosen = choices.includes(value) ? { initial_option: option(value) } : {};
    return { type: "static_select", action_id: INPUT, options: choices.map(option), ...chosen };
  }
  const multiline = kind === "multiline" ? { multiline: true } : {};
  return {
    type: "plain_text_input",
    action_id: INPUT,
    ...multiline,
    ...(value === "" ? {} : { initial_value: value }),
  };
}

function option(value: string): types.PlainTextOption {
  return { text: { type: "plain_text", text: value }, value };
}

/** The response that shows problems beneath the fields of a submitted form; null if none concerns a shown field. */
export function formErrors(payload: unknown, problems: FormProblems): object | null {
  const sent = formSubmissionSchema.safeParse(payload);
  if (!sent.success) return null;
  const shown = Object.keys(sent.data.view.state.values);
  const errors = Object.entries(problems).filter(([name]) => shown.includes(name));
  return errors.length === 0 ? null : { response_action: "errors", errors: Object.fromEntries(errors) };
}

/** The command for a submitted form; null if the form is not one of the bot's. */
export async function inboundForm(submission: FormSubmission, deps: InboundDeps): Promise<InboundCommand | null> {
  const { user, view, trigger_id: trigger = view.id } = submission;
  if (view.callback_id !== FORM_CALLBACK) return null;
  const { command, line, thread } = metadataSchema.parse(JSON.parse(view.private_metadata));
  const values = Object.entries(view.state.values).map(([name, inputs]) => [name, valueOf(inputs[INPUT])] as const);
  const { channelId: channel, threadId } = thread;
  return {
    kind: "command",
    key: eventKey("slack", "form", trigger),
    ...(await placeOf({ channel, kind: channelKind(channel), threadId }, deps)),
    person: await deps.directory.person(user.id),
    at: deps.clock.now(),
    name: command,
    args: line,
    filled: Object.fromEntries(values),
  };
}

type Input = FormSubmission["view"]["state"]["values"][string][string];

/** The value of an input; a channel becomes a channel mention. */
function valueOf(input: Input | undefined): string {
  const channel = input?.selected_conversation ?? null;
  return channel === null ? (input?.value ?? input?.selected_option?.value ?? "") : `<#${channel}>`;
}
