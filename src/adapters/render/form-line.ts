import type { Form } from "../../core/protocol/platform.ts";

/** What a person has filled in, by the fields' names. */
export type FormValues = Readonly<Record<string, string | null | undefined>>;

/** A filled form as the arguments that a person would have typed: `review "path=my notes"`. */
export function formArguments({ line }: Pick<Form, "line">, values: FormValues): string {
  const words = Object.entries(values).flatMap(([name, value]) => {
    const given = value?.trim() ?? "";
    return given === "" ? [] : [`"${name}=${given.replaceAll(/["\\]/gu, String.raw`\$&`)}"`];
  });
  return [line, ...words].join(" ").trim();
}
