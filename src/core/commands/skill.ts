import { firstWord } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext, CommandReply } from "../command-line/command.ts";
import { describedCompletion, skillCompletions } from "../command-line/completions.ts";
import { lineWithFormValues } from "../command-line/form-line.ts";
import { didYouMean, nearest } from "../command-line/nearest.ts";
import { quoteInput } from "../command-line/quote-input.ts";
import { NO_THREAD, sessionToChange } from "../command-line/session-to-change.ts";
import { skillArguments } from "../command-line/skill-line.ts";
import { skillNeeds, usageOf } from "../command-line/skill-needs.ts";
import type { Completion } from "../platform/inbound.ts";
import type { Button, OutgoingMessage } from "../platform/outgoing.ts";
import { privateMessage } from "../platform/replies.ts";
import type { Form } from "../protocol/form.ts";
import { bindArguments } from "../skills/skill-arguments.ts";
import { renderSkill } from "../skills/skill-render.ts";
import {
  LIST_SKILLS,
  problemText,
  SKILL_OFF,
  SKILL_ORIGINS,
  type Skill,
  type SkillCatalogue,
  skillUnavailableText,
} from "../skills/skills.ts";
import { cut } from "../text/plain-text.ts";

/** Maximum number of skills with a button in the list. */
const PICKED = 10;
/** Maximum length of a description, in characters. Many descriptions tell a model at length when to use the skill. */
const DESCRIPTION_CHARS = 200;

export const skillCommand: ChatCommand = {
  name: "skill",
  hasButtons: true,
  description: "use a skill; without a name, choose one from the list",
  usage: "[name] [arguments]",
  permission: "people",
  onlyShows: (line) => line === "" || line === LIST_SKILLS,
  options: [
    { name: "name", description: "a skill's name, list, or off", complete: namesOf },
    { name: "arguments", description: "what to apply the skill to" },
  ],
  async run(typed, context) {
    const line = lineWithFormValues(typed, context.filled);
    const { word, rest } = firstWord(line);
    const catalogue = await context.skillsOf(context.thread);
    if (word === "" || word === LIST_SKILLS) return picker(catalogue, context.session?.settings.activeSkill);
    if (word === SKILL_OFF) return setActive(null, "", context);
    const skill = catalogue.find(word);
    return skill === undefined ? privateMessage(unknown(word, catalogue)) : useSkill(skill, rest, context);
  },
};

async function namesOf(context: CommandContext): Promise<readonly Completion[]> {
  const active = context.session?.settings.activeSkill;
  const skills = await skillCompletions(context);
  return active === undefined ? skills : [describedCompletion(SKILL_OFF, `turn ${active} off`), ...skills];
}

async function useSkill(skill: Skill, line: string, context: CommandContext): Promise<CommandReply> {
  const rendered = renderSkill(skill, skillArguments(line));
  if (rendered.type === "missing") {
    const message = { ...privateMessage(missing(skill, rendered.args)), buttons: formButtons(skill, line) };
    return { message, form: formOf(skill, line) };
  }
  if (skill.scope === "session") return setActive(skill.name, line, context);
  return { run: `/skill ${skill.name} ${line}`.trim(), skill: { name: skill.name, line } };
}

/** Maximum length of a button's id, in characters. Source: `Button`. */
const ID_CHARS = 100;

/** A button that opens the form, for places where it cannot open at once, such as a Slack thread. */
function formButtons({ name }: Skill, line: string): Button[] {
  const id = `skill:${name} ${line}`.trim();
  return id.length > ID_CHARS ? [] : [{ id, label: "Fill in the form", style: "primary" }];
}

/** Maximum number of fields in a form. */
const FIELDS = 5;

function formOf({ name, args }: Skill, line: string): Form {
  const { named } = bindArguments(args, skillArguments(line));
  const open = args.filter((arg) => !named.has(arg.name)).toSorted((a, b) => Number(b.required) - Number(a.required));
  const fields = open.slice(0, FIELDS).map((arg) => ({
    name: arg.name,
    label: arg.name,
    ...(arg.description === "" ? {} : { hint: arg.description }),
    required: arg.required,
    kind: "text" as const,
  }));
  return { title: name, command: "skill", line: `${name} ${line}`.trim(), fields };
}

function missing(skill: Skill, lacking: Skill["args"]): string {
  return `${skillNeeds(skill, lacking)}: \`/skill ${skill.name} ${usageOf(skill)}\`.`;
}

/** Makes a skill active for the whole session, or switches it off if `name` is null. */
async function setActive(name: string | null, line: string, context: CommandContext): Promise<CommandReply> {
  const session = await sessionToChange(context);
  if (session === null) return privateMessage(NO_THREAD);
  const { activeSkill: before } = session.settings;
  if (name === null && before === undefined) return privateMessage("No skill is active here.");
  const { store, runtime } = context;
  const change = { activeSkill: name, activeSkillLine: line.trim() === "" ? null : line };
  await store.transaction((tx) => tx.sessions.changeSettings(session.id, change, runtime.clock.now()));
  if (name === null) return privateMessage(`✓ The skill **${before}** is off.`);
  return privateMessage(`✓ The skill **${name}** is on in this thread. \`/skill off\` turns it off.`);
}

function picker({ skills, problems }: SkillCatalogue, active: string | undefined): OutgoingMessage {
  const lines = skills.map((skill) => {
    const usage = usageOf(skill);
    const typed = usage === "" ? "" : ` \`${usage.replaceAll("`", "'")}\``;
    const holds = skill.name === active ? " (on in this thread; `/skill off` turns it off)" : "";
    const over = skill.ignoredNotes.map((note) => `\`${note}\``).join(", ");
    const notes = [
      ...(skill.replaces === undefined ? [] : [`replaces the one from ${SKILL_ORIGINS[skill.replaces]}`]),
      ...(over === "" ? [] : [`ignored: ${over}`]),
    ];
    return [`**${skill.name}**${typed}${holds}`, cut(skill.description, DESCRIPTION_CHARS), ...notes].join(" · ");
  });
  const broken = problems.map((problem) => `⚠ ${problemText(problem)}`);
  const none = "There are no skills yet. Add one as `extensions/skills/<name>/SKILL.md` in this channel's directory.";
  const buttons = skills
    .slice(0, PICKED)
    .map(({ name }) => ({ id: `skill:${name}`, label: name, style: "default" }) as const);
  // Problems come first, since a long list is cut.
  return { ...privateMessage([...broken, ...(lines.length === 0 ? [none] : lines)].join("\n")), buttons };
}

function unknown(name: string, catalogue: SkillCatalogue): string {
  const problem = catalogue.broken(name);
  if (problem !== undefined) return skillUnavailableText(problem, `**${problem.name}**`);
  const names = catalogue.skills.map((skill) => skill.name);
  return `I don't know the skill ${quoteInput(name)}.${didYouMean(nearest(name, names), "`/skill` lists them.")}`;
}
