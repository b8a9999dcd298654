import type { Skill } from "../skills/skills.ts";

/** Names a skill's missing arguments, as the beginning of a sentence that continues with how to give them. */
export function skillNeeds({ name }: Pick<Skill, "name">, lacking: Skill["args"]): string {
  const each = lacking.map((arg) =>
    arg.description === "" ? `**${arg.name}**` : `**${arg.name}** (${arg.description})`,
  );
  return `The skill **${name}** needs ${each.join(", ")}`;
}

/** A skill's arguments, such as `<place> [days]`. */
export function usageOf({ args, argumentHint }: Pick<Skill, "args" | "argumentHint">): string {
  if (args.length === 0) return argumentHint ?? "";
  return args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
}
