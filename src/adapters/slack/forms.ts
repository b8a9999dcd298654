import type { types } from "@slack/bolt";
import { z } from "zod";
import { type Form, type InboundCommand, type ThreadRef, threadRefSchema } from "../../core/protocol/platform.ts";
import { formArguments } from "../render/form-line.ts";
import { toPlatformError } from "./errors.ts";
import { cut } from "./format.ts";
import { channelKind, type InboundDeps, placeOf } from "./inbound.ts";
import { FORM_TITLE_CHARS, INPUT_LABEL_CHARS, METADATA_CHARS } from "./limits.ts";
import type { SlackWeb } from "./web.ts";
import type { FormSubmission } from "./wire.ts";

export const FORM_CALLBACK = "deckhand_form";
const INPUT = "value";

/** What travels with a form, since Slack tells of a submission neither its thread nor what it is for. */
const metadataSchema = z.object({ command: z.string(), line: z.string(), thread: threadRefSchema });

/** Opens a form for whoever clicked or typed just now; false when it cannot carry what it is for. */
export async function openForm(
  web: SlackWeb,
  form: Form,
  { thread, triggerId }: { readonly thread: ThreadRef; readonly triggerId: string },
): Promise<boolean> {
  const { command, line } = form;
  const metadata = JSON.stringify({ command, line, thread });
  if (metadata.length > METADATA_CHARS) return false;
  try {
    await web.views.open({ trigger_id: triggerId, view: modal(form, metadata) });
    return true;
  } catch (error) {
    throw toPlatformError(error, "show you a form");
  }
}

function modal({ title, fields }: Form, metadata: string): types.ModalView {
  return {
    type: "modal",
    callback_id: FORM_CALLBACK,
    private_metadata: metadata,
    title: { type: "plain_text", text: cut(title, FORM_TITLE_CHARS) },
    submit: { type: "plain_text", text: "Go ahead" },
    close: { type: "plain_text", text: "Cancel" },
    blocks: fields.map(({ name, label, required }) => ({
      type: "input",
      block_id: name,
      optional: !required,
      label: { type: "plain_text", text: cut(label, INPUT_LABEL_CHARS) },
      element: { type: "plain_text_input", action_id: INPUT },
    })),
  };
}

/** The command that a filled form stands for; null when it is none of ours. */
export async function inboundForm({ user, view }: FormSubmission, deps: InboundDeps): Promise<InboundCommand | null> {
  if (view.callback_id !== FORM_CALLBACK) return null;
  const { command, line, thread } = metadataSchema.parse(JSON.parse(view.private_metadata));
  const values = Object.entries(view.state.values).map(([name, inputs]) => [name, inputs[INPUT]?.value] as const);
  const { channelId: channel, threadId } = thread;
  return {
    kind: "command",
    key: `slack:form:${view.id}`,
    ...(await placeOf({ channel, kind: channelKind(channel, undefined), threadId }, deps)),
    person: await deps.directory.person(user.id),
    at: deps.clock.now(),
    name: command,
    args: formArguments({ line }, Object.fromEntries(values)),
  };
}
