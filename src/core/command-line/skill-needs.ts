import type { Skill } from "../skills/skills.ts";

/** What a skill was not given, as the beginning of a sentence that goes on with how to give it. */
export function skillNeeds({ name }: Pick<Skill, "name">, lacking: Skill["args"]): string {
  const each = lacking.map((arg) =>
    arg.description === "" ? `**${arg.name}**` : `**${arg.name}** (${arg.description})`,
  );
  return `The skill **${name}** needs ${each.join(", ")}`;
}

/** `<place> [days]` */
export function usageOf({ args, argumentHint }: Pick<Skill, "args" | "argumentHint">): string {
  if (args.length === 0) return argumentHint ?? "";
  return args.map(({ name, required }) => (required ? `<${name}>` : `[${name}]`)).join(" ");
}
