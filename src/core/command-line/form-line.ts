import type { FormValues } from "../protocol/form.ts";

/** A command's line with what was filled in as the arguments that a person would have typed: `review "path=my notes"`. */
export function filledLine(line: string, filled: FormValues | null): string {
  const words = Object.entries(filled ?? {}).flatMap(([name, value]) => {
    const given = value.trim();
    return given === "" ? [] : [`"${name}=${given.replaceAll(/["\\]/gu, String.raw`\$&`)}"`];
  });
  return [line, ...words].join(" ").trim();
}
