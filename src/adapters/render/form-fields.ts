import type { FormField, FormValues } from "../../core/protocol/form.ts";

/** The last field of a form that has more fields than the platform shows. */
const MORE = "more";

export interface FormRoom {
  /** Fields of one form. */
  readonly fields: number;
  /** Characters of a field. */
  readonly chars: number;
}

/**
 * The fields as a platform has room for them: where there are too many, the last one takes the others, a line each.
 * What has no room in its field is not asked for, and stays as it is.
 */
export function fittedFields(fields: readonly FormField[], { fields: most, chars }: FormRoom): readonly FormField[] {
  const shown = fields.filter(({ value = "" }) => value.length <= chars);
  if (shown.length <= most) return shown;
  const [own, others] = [shown.slice(0, most - 1), shown.slice(most - 1)];
  const lines = others.flatMap(({ name, value = "" }) => (value === "" ? [] : [`${name}: ${value}`]));
  const example = others.find(({ choices = [] }) => choices.length > 0) ?? others[0];
  return [
    ...own,
    {
      name: MORE,
      label: "More, one line each",
      required: false,
      kind: "multiline",
      hint: `${others.map(({ name }) => name).join(", ")}; e.g. ${example?.name}: ${example?.choices?.[0] ?? "…"}`,
      value: lines.join("\n"),
    },
  ];
}

/** What was filled in, with the lines of the last field as fields of their own: `agent: plan`. */
export function filledValues(filled: FormValues): FormValues {
  const { [MORE]: more = "", ...own } = filled;
  const lines = more.split("\n").filter((line) => line.trim() !== "");
  const others = lines.map((line) => {
    const [, name = line, value = ""] = /^([^:]*):(.*)$/su.exec(line) ?? [];
    return [name.trim().toLowerCase(), value.trim()] as const;
  });
  return { ...own, ...Object.fromEntries(others) };
}
