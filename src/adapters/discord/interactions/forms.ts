import { ComponentType, InteractionType, TextInputStyle } from "discord.js";
import type { InboundCommand } from "../../../core/platform/inbound.ts";
import type { Form, FormField } from "../../../core/protocol/form.ts";
import { cut } from "../../../core/text/plain-text.ts";
import { filledValues, fittedFields } from "../../render/form-fields.ts";
import { actorOf, type ChannelContext, interactionKey, locationOf, rootIn, threadOf } from "../inbound.ts";
import { CUSTOM_ID_CHARS, FORM_FIELDS, FORM_LABEL_CHARS, INPUT_CHARS, PLACEHOLDER_CHARS } from "../limits.ts";
import { timeOf } from "../snowflake.ts";
import type { WireInteractionOf } from "../wire.ts";
import { type RedirectedThread, redirectedId } from "./direct-message-redirect.ts";

const VERB = "form:";

/** A dialog for the given thread; null if its id would be too long, or no field fits. */
export function modalOf({ title, command, line, fields }: Form, redirect: RedirectedThread | null): object | null {
  const plain = `${VERB}${command} ${line}`;
  const id = redirect === null ? plain : redirectedId(plain, redirect);
  const shown = fittedFields(fields, { fields: FORM_FIELDS, chars: INPUT_CHARS });
  if (id === null || id.length > CUSTOM_ID_CHARS || shown.length === 0) return null;
  return {
    custom_id: id,
    title: cut(title, FORM_LABEL_CHARS),
    components: shown.map((field) => ({ type: ComponentType.ActionRow, components: [input(field)] })),
  };
}

function input({ name, label, required, kind, hint, value = "" }: FormField): object {
  return {
    type: ComponentType.TextInput,
    style: kind === "multiline" ? TextInputStyle.Paragraph : TextInputStyle.Short,
    custom_id: name,
    label: cut(label, FORM_LABEL_CHARS),
    required,
    ...(hint === undefined ? {} : { placeholder: cut(hint, PLACEHOLDER_CHARS) }),
    ...(value === "" ? {} : { value }),
  };
}

/** The command for a submitted dialog; null if it is not one of the bot's, or not a person's. */
export function inboundForm(
  interaction: WireInteractionOf<InteractionType.ModalSubmit>,
  place: ChannelContext,
): InboundCommand | null {
  const who = actorOf(interaction);
  const { custom_id: id, components } = interaction.data;
  const [, name, line = ""] = /^form:(\S+)(?: (.*))?$/su.exec(id) ?? [];
  if (who === null || name === undefined) return null;
  const inputs = components.flatMap((row) => row.components);
  const values = Object.fromEntries(inputs.map(({ custom_id, value }) => [custom_id, value]));
  return {
    kind: "command",
    key: interactionKey(interaction),
    ...locationOf(place, threadOf(place, rootIn(interaction.message))),
    person: who,
    at: timeOf(interaction.id),
    name,
    args: line,
    filled: filledValues(values),
  };
}
