import { textKeepingBytes, utf8Bytes } from "../../runtime/text-encoding.ts";

/** Formats `%s`, whose width and precision count bytes in bash; undefined if these are as many as characters. */
export function formatBytes(conversion: string, letter: string, text: string): string | undefined {
  const [, flags = "", width = "", precision] = /^%([-+ #0']*)([1-9]\d*)?(?:\.(\d*))?s$/.exec(conversion) ?? [];
  const bytes = utf8Bytes(text);
  if (letter !== "s" || bytes === text || (width === "" && precision === undefined)) return undefined;
  const kept = precision === undefined ? bytes : bytes.slice(0, Number(precision));
  return textKeepingBytes(flags.includes("-") ? kept.padEnd(Number(width)) : kept.padStart(Number(width)));
}
