import { JOB_ACTIONS, JOB_FIELDS, type JobAction, type JobDraft, type JobRequest } from "../jobs/job-control.ts";
import { type Arguments, readArguments } from "./arguments.ts";
import type { ChatCommand, CommandContext, CommandOption } from "./command.ts";
import { didYouMean, nearest } from "./nearest.ts";
import { privately } from "./private-reply.ts";

const ACTION_WORDS: Readonly<Record<JobAction, string>> = {
  show: "all that is set of a job",
  run: "run a job now, beside its schedule",
  enable: "let a paused job go on",
  disable: "pause a job",
  remove: "remove a job",
  logs: "a job's newest due times and what came of them",
};

const JOB: CommandOption = { name: "job", description: "its name or id", required: true };
const FIELDS: readonly CommandOption[] = JOB_FIELDS;
const SUBCOMMANDS: readonly CommandOption[] = [
  { name: "list", description: "the jobs of this channel, and yours", options: [] },
  { name: "add", description: "have something done again and again, or once later", options: FIELDS },
  { name: "edit", description: "change a job", options: [JOB, ...FIELDS] },
  ...JOB_ACTIONS.map((name) => ({ name, description: ACTION_WORDS[name], options: [JOB] })),
];
const NAMES = SUBCOMMANDS.map(({ name }) => name);
const FLAGS = ["job", ...FIELDS.map(({ name }) => name)];

export const jobsCommand: ChatCommand = {
  name: "jobs",
  description: "reports that come by themselves: list, add, edit, run, enable, disable, remove, logs",
  usage: 'list | add --cron "0 9 * * 1-5" --prompt "…" | run <name> | …',
  permission: "everyone",
  options: SUBCOMMANDS,
  async run(line, context) {
    const read = readArguments(line, { flags: FLAGS });
    return privately(read.type === "broken" ? read.reason : await carryOut(read, context));
  },
};

type Read = Extract<Arguments, { type: "read" }>;

async function carryOut({ words, flags }: Read, context: CommandContext): Promise<string> {
  const [verb = "list", ...names] = words;
  const { jobs } = context;
  const request = requestOf(context);
  if (verb === "list") return (await jobs.list(request)).text;
  if (verb === "add") {
    const [extra] = names;
    if (extra !== undefined)
      return `I don't know what to do with \`${extra}\`. What is to be done goes behind \`--prompt\`, in quotes.`;
    return (await jobs.add(draftOf(flags), request)).text;
  }
  const job = flags.get("job") ?? names.join(" ");
  const action = JOB_ACTIONS.find((each) => each === verb);
  if (action === undefined && verb !== "edit") {
    return `I don't know \`/jobs ${verb}\`.${didYouMean(nearest(verb, NAMES), `There is ${NAMES.join(", ")}.`)}`;
  }
  if (job === "") return `Which job? \`/jobs ${verb} <name or id>\`; \`/jobs list\` names them.`;
  const answer =
    action === undefined ? await jobs.edit(job, draftOf(flags), request) : await jobs.act(action, job, request);
  return answer.text;
}

function requestOf({ person, thread, runtime }: CommandContext): JobRequest {
  return { person, thread, at: runtime.clock.now() };
}

function draftOf(flags: ReadonlyMap<string, string>): JobDraft {
  return Object.fromEntries([...flags].filter(([name]) => name !== "job"));
}
