import { type Arguments, readArguments } from "../command-line/arguments.ts";
import type { ChatCommand, CommandContext, CommandOption, CommandReply } from "../command-line/command.ts";
import {
  agentCompletions,
  jobCompletions,
  modelCompletions,
  skillCompletions,
  timezoneCompletions,
} from "../command-line/completions.ts";
import { didYouMean, nearest } from "../command-line/nearest.ts";
import { quoteInput } from "../command-line/quote-input.ts";
import {
  JOB_ACTIONS,
  JOB_FIELDS,
  type JobAction,
  type JobAnswer,
  type JobInput,
  type JobRequest,
} from "../jobs/job-control.ts";
import { formProblems, formTarget, markClearedFields, readJobForm, readTarget } from "../jobs/job-form.ts";
import { privateMessage } from "../platform/replies.ts";
import type { Form, FormProblems, FormValues } from "../protocol/form.ts";

const ACTION_WORDS: Readonly<Record<JobAction, string>> = {
  show: "show a job's settings",
  run: "run a job now, outside its schedule",
  enable: "resume a paused job",
  disable: "pause a job",
  remove: "remove a job",
  logs: "show a job's latest runs and their results",
};

const JOB: CommandOption = {
  name: "job",
  description: "the job's name or id",
  required: true,
  complete: jobCompletions,
};
const WORDS: Readonly<Partial<Record<string, NonNullable<CommandOption["complete"]>>>> = {
  agent: agentCompletions,
  skill: skillCompletions,
  model: modelCompletions,
  timezone: timezoneCompletions,
};
const FIELDS: readonly CommandOption[] = JOB_FIELDS.map((field) => {
  const complete = WORDS[field.name];
  return complete === undefined ? field : { ...field, complete };
});
const SUBCOMMANDS: readonly CommandOption[] = [
  { name: "list", description: "list this channel's jobs, and your own", options: [] },
  { name: "add", description: "schedule a job, once or repeatedly; without options, opens a form", options: FIELDS },
  { name: "edit", description: "change a job; with only its name, opens a form", options: [JOB, ...FIELDS] },
  ...JOB_ACTIONS.map((name) => ({ name, description: ACTION_WORDS[name], options: [JOB] })),
];
const NAMES = SUBCOMMANDS.map(({ name }) => name);
const FLAGS = ["job", ...FIELDS.map(({ name }) => name)];

export const jobsCommand: ChatCommand = {
  name: "jobs",
  hasButtons: true,
  description: "scheduled reports: list, add, edit, run, enable, disable, remove, logs",
  usage: 'list | add --cron "0 9 * * 1-5" --prompt "…" | run <name> | …',
  permission: "everyone",
  options: SUBCOMMANDS,
  async run(line, context) {
    const read = readArguments(line, { flags: FLAGS });
    return read.type === "broken" ? privateMessage(read.reason) : carryOut(read, context);
  },
};

type Read = Extract<Arguments, { type: "read" }>;

async function carryOut({ words, flags }: Read, context: CommandContext): Promise<CommandReply> {
  const [verb = "list", ...names] = words;
  const { jobs, filled } = context;
  const request = requestOf(context);
  if (verb === "list") return privateMessage((await jobs.list(request)).text);
  if (verb === "add") {
    if (names[0] !== undefined) return privateMessage(leftOver(names, flags));
    if (filled !== null) return takeForm(null, filled, context);
    return flags.size === 0
      ? askForm(null, context)
      : privateMessage((await jobs.add(jobInputOf(flags), request)).text);
  }
  const job = flags.get("job") ?? names.join(" ");
  const action = JOB_ACTIONS.find((each) => each === verb);
  if (action === undefined && verb !== "edit") {
    return privateMessage(
      `I don't know ${quoteInput(`/jobs ${verb}`)}.${didYouMean(nearest(verb, NAMES), `There is ${NAMES.join(", ")}.`)}`,
    );
  }
  if (job === "") return privateMessage(`Which job? \`/jobs ${verb} <name or id>\`; \`/jobs list\` shows them.`);
  if (action !== undefined) return privateMessage((await jobs.act(action, job, request)).text);
  if (filled !== null) return takeForm(job, markClearedFields(filled), context);
  const input = jobInputOf(flags);
  if (Object.keys(input).length === 0) return askForm(job, context);
  return privateMessage((await jobs.edit(job, input, request)).text);
}

/** Characters of a field in a cron expression. */
const CRON_FIELD = /^[\d*?/,#LW-]+$/u;

function leftOver(words: readonly string[], flags: Read["flags"]): string {
  const cron = flags.get("cron");
  const isCron = cron !== undefined && [cron, ...words].every((word) => CRON_FIELD.test(word));
  const why = isCron ? "Put the whole expression after `--cron`" : "Put what it should do after `--prompt`";
  return `I don't know what to do with ${quoteInput(words[0] ?? "")}. ${why}, in quotes.`;
}

const HOW_TO_ADD = `When should it run, and what should it do?
- \`/jobs add --cron "0 9 * * 1-5" --prompt "Post the open tickets."\`
- \`/jobs add --at "in 2 hours" --prompt "Remind us of the release."\``;

/**
 * Opens the form for a new job, if `job` is null, or for changing one. The reply has a button that opens it if the
 * platform cannot at once.
 */
async function askForm(job: string | null, context: CommandContext): Promise<CommandReply> {
  const asked = await context.jobs.form(job, requestOf(context));
  if (asked.type === "refused") return privateMessage(asked.reason);
  const { job: known, fields } = asked;
  const { title, line, button, words } =
    known === null
      ? { title: "New job", line: "add", button: "add", words: HOW_TO_ADD }
      : {
          title: `Change ${known.name}`,
          line: `edit ${formTarget(known)}`,
          button: `edit ${known.id}`,
          words: `What should change? \`/jobs edit "${known.name}" --cron "0 9 * * *"\``,
        };
  const again = { id: `jobs:${button}`, label: "Fill in the form", style: "primary" } as const;
  return { message: { ...privateMessage(words), buttons: [again] }, form: { title, command: "jobs", line, fields } };
}

/**
 * Handles a submitted form. If it has problems, they are reported by field and the form is shown again with its values.
 */
async function takeForm(target: string | null, filled: FormValues, context: CommandContext): Promise<CommandReply> {
  const { jobs } = context;
  const read = readJobForm(filled, { isNew: target === null });
  const { id, version } = target === null ? { id: null } : readTarget(target);
  if (read.type === "wrong") return askAgain(id, { filled, problems: read.problems }, context);
  const request = { ...requestOf(context), ...(version === undefined ? {} : { version }) };
  const answer: JobAnswer = await (id === null ? jobs.add(read.input, request) : jobs.edit(id, read.input, request));
  if (answer.problems === undefined) return privateMessage(answer.text);
  return askAgain(id, { filled, problems: formProblems(answer.problems) }, context);
}

async function askAgain(
  job: string | null,
  { filled, problems }: { readonly filled: FormValues; readonly problems: FormProblems },
  context: CommandContext,
): Promise<CommandReply> {
  const asked = await askForm(job, context);
  if (!("form" in asked)) return asked;
  const form = refilled(asked.form, filled);
  const wrong = Object.entries(problems).map(([name, problem]) => `- ${labelOf(name, form)}: ${problem}`);
  const typed = Object.entries(filled).flatMap(([name, value]) => (value.trim() === "" ? [] : [`${name}: ${value}`]));
  const words = [
    "✗ Please check these fields:",
    ...wrong,
    "",
    "You entered:",
    ...typed.map((line) => `> ${line.replaceAll("\n", "\n> ")}`),
  ];
  // Error messages at fields cannot contain Markdown.
  const plain = Object.entries(problems).map(([name, problem]) => [name, problem.replaceAll("`", "")]);
  return { message: privateMessage(words.join("\n")), form, problems: Object.fromEntries(plain) };
}

/** Fills a form with the submitted values. Where fields are typed as lines, there may be more values than fields. */
function refilled(form: Form, filled: FormValues): Form {
  const asked = form.fields.map((field) => ({ ...field, value: filled[field.name] ?? field.value ?? "" }));
  const typed = Object.entries(filled).filter(([, value]) => value !== "");
  const more = typed.filter(([name]) => form.fields.every((field) => field.name !== name));
  const added = more.map(([name, value]) => ({ name, label: name, kind: "text", required: false, value }) as const);
  return { ...form, fields: [...asked, ...added] };
}

function labelOf(name: string, { fields }: Form): string {
  return fields.find((field) => field.name === name)?.label ?? name;
}

function requestOf({ person, thread, runtime }: CommandContext): JobRequest {
  return { person, thread, at: runtime.clock.now() };
}

function jobInputOf(flags: ReadonlyMap<string, string>): JobInput {
  return Object.fromEntries([...flags].filter(([name]) => name !== "job"));
}
