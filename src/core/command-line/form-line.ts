import type { FormValues } from "../protocol/form.ts";

/** Appends the values of a form to a command's line as arguments, as if typed: `review "path=my notes"`. */
export function lineWithFormValues(line: string, filled: FormValues | null): string {
  const words = Object.entries(filled ?? {}).flatMap(([name, value]) => {
    const given = value.trim();
    return given === "" ? [] : [`"${name}=${given.replaceAll(/["\\]/gu, String.raw`\$&`)}"`];
  });
  return [line, ...words].join(" ").trim();
}
