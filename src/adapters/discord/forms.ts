import type { Form, InboundCommand } from "../../core/protocol/platform.ts";
import { formArguments } from "../render/form-line.ts";
import { cut } from "./format.ts";
import { type Place, threadOf, whereabouts, whoActed } from "./inbound.ts";
import { CUSTOM_ID_CHARS, FORM_LABEL_CHARS } from "./limits.ts";
import { timeOf } from "./snowflake.ts";
import type { WireInteraction } from "./wire.ts";

const VERB = "form:";

/** A dialog as Discord takes it; null when its id cannot carry what it is for. */
export function modalOf({ title, command, line, fields }: Form): object | null {
  const id = `${VERB}${command} ${line}`;
  if (id.length > CUSTOM_ID_CHARS) return null;
  return {
    custom_id: id,
    title: cut(title, FORM_LABEL_CHARS),
    components: fields.map(({ name, label, required }) => ({
      type: 1,
      components: [{ type: 4, style: 1, custom_id: name, label: cut(label, FORM_LABEL_CHARS), required }],
    })),
  };
}

/** The command that a filled dialog stands for; null when it is none of ours, or nobody's. */
export function inboundForm(interaction: Extract<WireInteraction, { type: 5 }>, place: Place): InboundCommand | null {
  const who = whoActed(interaction);
  const { custom_id: id, components } = interaction.data;
  const [, name, line = ""] = /^form:(\S+) ?(.*)$/su.exec(id) ?? [];
  if (who === null || name === undefined) return null;
  const inputs = components.flatMap((row) => row.components);
  const values = Object.fromEntries(inputs.map(({ custom_id, value }) => [custom_id, value]));
  return {
    kind: "command",
    key: `discord:interaction:${interaction.id}`,
    ...whereabouts(place, threadOf(place, interaction.message?.id ?? null)),
    person: who,
    at: timeOf(interaction.id),
    name,
    args: formArguments({ line }, values),
  };
}
