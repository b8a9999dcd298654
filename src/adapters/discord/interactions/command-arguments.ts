import type { CommandOption } from "../wire.ts";

/**
 * A slash command's options as the line a person would have typed after its name, so that both ways
 * are understood by one parser: subcommands by their name, top-level options in their order, options
 * of subcommands as flags. An option called `args` is taken as it stands.
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

/** In double quotes where a shell would otherwise see several words. */
function quoted(value: string): string {
  return /^[\w./:@%+=,-]+$/u.test(value) ? value : `"${value.replaceAll(/["\\]/gu, String.raw`\$&`)}"`;
}
