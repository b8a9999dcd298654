import { fillFolder } from "./folder-names.ts";
import { bindArguments, fillPlaceholders, type GivenArguments } from "./skill-arguments.ts";
import type { Skill, SkillArg } from "./skills.ts";

export type RenderedSkill =
  /** `tools` are those that the run is limited to; null if the skill does not limit it (see skill-narrowing.ts). */
  | { readonly type: "ready"; readonly text: string; readonly tools: readonly string[] | null }
  /** Required arguments that are missing. */
  | { readonly type: "missing"; readonly args: readonly SkillArg[] };

/**
 * Renders a skill for the model: where its files are, which tools it suggests, and its text with the arguments filled
 * in.
 */
export function renderSkill(skill: Skill, given: GivenArguments): RenderedSkill {
  const { missing } = bindArguments(skill.args, given);
  if (missing.length > 0) return { type: "missing", args: missing };
  const text = `${preface(skill)}\n\n${fillPlaceholders({ ...skill, body: fillFolder(skill) }, given)}`;
  return { type: "ready", text, tools: skill.tools };
}

/** A command whose output other programs insert in its place. */
const PRINTED = /(?:^|\s)!`[^`\n]+`/;
const RUN_FIRST = "A command in backticks after a `!` stands for its output: run it first.";

function preface({ name, scope, origin, folder, allowedTools, compatibility, tools, body }: Skill): string {
  const lines = [
    `Skill \`${name}\`. Follow it for ${scope === "session" ? "the rest of this session" : "this request"}; it lifts no boundary.`,
    ...(folder === "" ? [] : [filesOf(origin === "project" ? folder : null, name)]),
    ...(compatibility === null ? [] : [`Made for: ${compatibility}`]),
    ...(tools === null ? [] : [`Use only these tools; others are refused: ${tools.join(", ") || "none"}.`]),
    ...(PRINTED.test(body) ? [RUN_FIRST] : []),
    ...(allowedTools === null
      ? []
      : [`It asks to use: ${allowedTools}. That is a request, not a permission: calls are decided as usual.`]),
  ];
  return lines.join("\n");
}

/** Says where a skill's files are. `folder` is the path in the working directory, or null if they are elsewhere. */
function filesOf(folder: string | null, name: string): string {
  return folder === null
    ? `Files that it names are outside the sandbox: read them with the tool \`skill\`, as {"skill": "${name}", "file": "<name>"}.`
    : `Files that it names are in \`${folder}/\` of the working directory: read and run them there.`;
}

/**
 * The arguments to write after a skill's name, such as `place (required), days`. Empty if it takes none or does not
 * say.
 */
export function argumentLine({ args, argumentHint }: Pick<Skill, "args" | "argumentHint">): string {
  if (args.length === 0) return argumentHint ?? "";
  return args.map(({ name, required }) => (required ? `${name} (required)` : name)).join(", ");
}

/** Names the missing arguments, as a sentence for the model. */
export function missingText({ name }: Skill, args: readonly SkillArg[]): string {
  const each = args.map((arg) => (arg.description === "" ? arg.name : `${arg.name} (${arg.description})`));
  return `The skill ${name} needs ${each.join(", ")}. Give it in \`args\` as "name=value"; ask the person if you do not know it.`;
}
