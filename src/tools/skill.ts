import { z } from "zod";
import { didYouMean, nearest } from "../core/command-line/nearest.ts";
import { skillArguments } from "../core/command-line/skill-line.ts";
import { errorResult, type ToolResult, textResult } from "../core/protocol/tool-result.ts";
import type { GivenArguments } from "../core/skills/skill-arguments.ts";
import { skillListText } from "../core/skills/skill-index.ts";
import { missingText, renderSkill } from "../core/skills/skill-render.ts";
import {
  LIST_SKILLS,
  type Skill,
  type SkillCatalogue,
  skillName,
  skillsForModel,
  skillUnavailableText,
} from "../core/skills/skills.ts";
import { counted } from "../core/text/counted.ts";
import { defineTool, type Tool } from "../core/tool.ts";
import type { InstructionGate } from "./instructions/instruction-gate.ts";
import { asResult } from "./sandboxed/guest-call.ts";
import { MAX_FILE_LINES, readSkillFile } from "./skills/skill-file.ts";

const values = z.array(z.string().max(10_000)).max(50);
const input = z.object({
  skill: z.string().min(1).max(200).describe('The name of a skill, or "list" for all skills with their arguments.'),
  args: z
    .union([z.string().max(100_000), values])
    .exactOptional()
    .describe('What the skill should work on: text as a person would type it, or values in order or as "name=value".'),
  arguments: values.exactOptional().describe("The same, as a list only."),
  file: z
    .string()
    .min(1)
    .exactOptional()
    .describe("Returns this file in the skill's folder instead: a path relative to that folder."),
  offset: z.int().min(1).max(4_000_000_000).default(1).describe("With file: the first line to return."),
});
type Input = z.infer<typeof input>;

const DESCRIPTION =
  "Returns a skill: written instructions for recurring work, to follow for the current request. Also returns the files that a skill refers to.";

/** Creates the tool with which the model loads skills. */
export function createSkillTool({ skills, followsFile }: Pick<InstructionGate, "skills" | "followsFile">): Tool {
  return defineTool({
    name: "skill",
    description: DESCRIPTION,
    offer: {
      about: "Returns a skill to follow for this request, or a file it refers to.",
      arguments: {
        skill: 'Its name, or "list" for all with their arguments.',
        args: 'What to work on: text, or values in order or as "name=value".',
        file: "A file in the skill's folder instead.",
      },
    },
    input,
    permission: "none",
    parallel: true,
    afterCrash: "replay",
    grant: ({ skill }) => ({ key: `skill:${skillName(skill)}`, label: `the skill ${skillName(skill)}` }),
    title: ({ skill, file }) => (file === undefined ? skill : `${skill}/${file}`),
    execute: (asked, { sandboxRoot, channelKey }) =>
      asResult(async () => {
        const catalogue = skills(sandboxRoot, channelKey);
        if (asked.skill === LIST_SKILLS) return listed(catalogue);
        const skill = catalogue.find(asked.skill);
        if (skill === undefined) return unknown(asked.skill, catalogue);
        if (asked.file === undefined && skill.isForPeopleOnly) return forPeople(skill);
        if (asked.file === undefined) return called(skill, asked);
        const mayFollow = (file: string, sha256: string) =>
          followsFile({ sandboxRoot, channelKey }, skill, { file, sha256 });
        return fileText(skill, asked.file, { ...asked, sandboxRoot, mayFollow });
      }),
  });
}

function listed(catalogue: SkillCatalogue): ToolResult {
  const count = skillsForModel(catalogue).length;
  return textResult(skillListText(catalogue), { summary: counted(count, "skill") });
}

function called(skill: Skill, asked: Input): ToolResult {
  const rendered = renderSkill(skill, givenIn(asked));
  if (rendered.type === "missing") return errorResult(missingText(skill, rendered.args), "arguments missing");
  const { text, tools } = rendered;
  return textResult(text, tools === null ? {} : { narrowsTo: tools });
}

function givenIn({ args, arguments: listed = [] }: Input): GivenArguments {
  if (typeof args === "string") return skillArguments([args, ...listed].join(" "));
  const values = [...(args ?? []), ...listed];
  return { values, raw: values.join(" ") };
}

interface FileRequest {
  readonly offset: number;
  readonly sandboxRoot: string;
  readonly mayFollow: (file: string, sha256: string) => boolean;
}

function fileText(skill: Skill, file: string, { offset, sandboxRoot, mayFollow }: FileRequest): ToolResult {
  const { text, totalLines, sha256 } = readSkillFile({ skill, sandboxRoot, file, offset });
  if (!mayFollow(file, sha256))
    return errorResult(`${file} can be followed only after somebody here has allowed it.`, "not allowed yet");
  if (text === "") return errorResult(`${file} has ${totalLines} lines.`);
  const last = offset + MAX_FILE_LINES - 1;
  const more = totalLines > last ? `\n[Line ${last} of ${totalLines}; continue with offset ${last + 1}.]` : "";
  return textResult(`${text}${more}`, { summary: counted(totalLines, "line") });
}

function forPeople({ name }: Skill): ToolResult {
  return errorResult(
    `Only people can call the skill ${name}, with /skill ${name}. Say so, and do not do its work another way.`,
  );
}

function unknown(name: string, catalogue: SkillCatalogue): ToolResult {
  const broken = catalogue.broken(name);
  if (broken !== undefined)
    return errorResult(skillUnavailableText(broken, broken.name), broken.line === null ? "not allowed yet" : "broken");
  const near = nearest(
    skillName(name),
    skillsForModel(catalogue).map((skill) => skill.name),
  );
  const all = `{"skill": "${LIST_SKILLS}"} lists them all.`;
  return errorResult(`There is no skill ${name}.${didYouMean(near, all)}`, "no such skill");
}
