import type { FormField, FormValues } from "../../core/protocol/form.ts";

/** Name of the last field of a form that has more fields than the platform shows. */
const MORE = "more";

export interface FormRoom {
  /** Maximum number of fields in one form. */
  readonly fields: number;
  /** Maximum length of a field's value, in characters. */
  readonly chars: number;
}

/**
 * Fits a form to what the platform can show. If there are too many fields, the last one collects the surplus, one line
 * per field. A field whose value is too long is not asked for and keeps its value.
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

/** The submitted values, with each line of the collecting field (`agent: plan`) turned back into a field of its own. */
export function filledValues(filled: FormValues): FormValues {
  const { [MORE]: more = "", ...own } = filled;
  const lines = more.split("\n").filter((line) => line.trim() !== "");
  const others = lines.map((line) => {
    const [, name = line, value = ""] = /^([^:]*):(.*)$/su.exec(line) ?? [];
    return [name.trim().toLowerCase(), value.trim()] as const;
  });
  return { ...own, ...Object.fromEntries(others) };
}
