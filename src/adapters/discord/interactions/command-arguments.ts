import type { CommandOption } from "../wire.ts";

/**
 * Converts a slash command's options to the line that a person would type, so that one parser handles both: subcommands
 * by name, top-level options in order, options of subcommands as flags. An option called `args` is used as it is.
 */
export function commandArguments(options: readonly CommandOption[], flags = false): string {
  return options
    .map((option) => word(option, flags))
    .join(" ")
    .trim();
}

function word({ name, value, options }: CommandOption, flag: boolean): string {
  if (value === undefined) return `${name} ${commandArguments(options ?? [], true)}`.trim();
  if (name === "args") return String(value);
  return flag ? `--${name} ${quoted(String(value))}` : String(value);
}

/** Adds double quotes if a shell would otherwise see several words. */
function quoted(value: string): string {
  return /^[\w./:@%+=,-]+$/u.test(value) ? value : `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}
