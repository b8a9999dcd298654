import { z } from "zod";
import type { JobAnswer, JobControl, JobInput, JobRequest } from "../core/jobs/job-control.ts";
import { startOf } from "../core/people/run-people.ts";
import { errorResult, type ToolResult, textResult } from "../core/protocol/tool-result.ts";
import { defineTool, type Tool, type ToolContext } from "../core/tool.ts";
import type { NativeToolDeps } from "./native/native-tool-deps.ts";

export interface JobTools extends Pick<NativeToolDeps, "store" | "clock"> {
  readonly jobs: Pick<JobControl, "preview" | "add" | "list" | "act" | "view">;
}

/** Creates the tools with which the model manages the jobs of the person it works for. */
export function createJobTools(deps: JobTools): readonly Tool[] {
  return [createScheduleJob(deps), createListJobs(deps), createCancelJob(deps)];
}

const newJob = z.object({
  name: z.string().min(1).max(80).describe("The name people use for it: letters, digits, spaces, plain punctuation."),
  prompt: z
    .string()
    .min(1)
    .describe("What to do each time, self-contained: whoever does it does not know this conversation."),
  cron: z
    .string()
    .optional()
    .describe(
      "When it repeats: five fields, e.g. `0 9 * * 1-5` for every weekday at nine; six with seconds first. `0 9 * * 1#1` is the " +
        "first Monday of the month, `0 9 * * 5L` its last Friday, `0 9 L * *` its last day. With both a day of the month and a weekday, " +
        "it is due on either. “Every other week” cannot be expressed: say so.",
    ),
  at: z
    .string()
    .optional()
    .describe("When it is due, if only once: `2026-12-01 09:00`, `tomorrow 9:00` or `in 2 hours`."),
  timezone: z
    .string()
    .optional()
    .describe("The time zone as an IANA name, e.g. Europe/Paris. Ask if you do not know it."),
  silent: z.boolean().optional().describe("True: nothing is posted if the report equals the previous one."),
});
type NewJob = z.infer<typeof newJob>;

function createScheduleJob({ jobs, ...deps }: JobTools): Tool {
  return defineTool<NewJob>({
    name: "schedule_job",
    description:
      "Schedules recurring work, or a reminder for later; the result is posted in this channel. Give either cron or at. The person " +
      "sees when it will be due and confirms it with a button; if they do not, ask what should be different.",
    deferred: { about: "schedules recurring work or a reminder" },
    input: newJob,
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: ({ name }) => ({ key: `schedule_job:${name}`, label: `scheduling ${name}` }),
    title: ({ name }) => name,
    rule: () => ({ type: "ask", why: "It will run on its own from now on.", always: true }),
    async preview(input, ctx) {
      const seen = await jobs.preview(jobInputOf(input), await requestOf(ctx, deps));
      if (seen.type === "refused") return { refused: seen.reason };
      const next = seen.next.map((due) => `- ${due}`);
      const text = [`${seen.name}: ${seen.sentence}`, "Next:", ...next, "", input.prompt].join("\n");
      return {
        question: "Schedule a job?",
        language: "text",
        text,
        reach: "runs on its own in this channel · only looks",
        answers: { allow: "Create", deny: "Change" },
        // A relative time such as two hours from now would change before the button is pressed.
        ...(seen.dueOnce === null ? {} : { previewDigest: new Date(seen.dueOnce).toISOString() }),
      };
    },
    async execute(input, ctx) {
      const request = { ...(await requestOf(ctx, deps)), key: `${ctx.runId}:${ctx.callId}` };
      const at = input.at === undefined ? {} : { at: ctx.previewDigest ?? input.at };
      return resultOf(await jobs.add({ ...jobInputOf(input), ...at }, request));
    },
  });
}

function createListJobs({ jobs, ...deps }: JobTools): Tool {
  return defineTool({
    name: "list_jobs",
    description: "Lists the scheduled jobs of this channel: names, ids, when they are due, how the last runs went.",
    deferred: { about: "lists the scheduled jobs here" },
    input: z.object({}),
    permission: "none",
    parallel: true,
    afterCrash: "replay",
    grant: () => ({ key: "list_jobs", label: "listing jobs" }),
    title: () => "",
    execute: async (_input, ctx) => resultOf(await jobs.list(await requestOf(ctx, deps))),
  });
}

function createCancelJob({ jobs, ...deps }: JobTools): Tool {
  return defineTool({
    name: "cancel_job",
    description: "Permanently removes a scheduled job. Only when the person asks for it.",
    deferred: { about: "removes a scheduled job" },
    input: z.object({ job: z.string().min(1).describe("Its name or id, as list_jobs shows it.") }),
    permission: "none",
    parallel: false,
    afterCrash: "replay",
    grant: ({ job }) => ({ key: `cancel_job:${job}`, label: `removing ${job}` }),
    title: ({ job }) => job,
    rule: () => ({ type: "ask", why: "It will no longer run.", always: true }),
    async preview({ job }, ctx) {
      const request = await requestOf(ctx, deps);
      const [shown, seen] = [await jobs.act("show", job, request), await jobs.view(job, request)];
      if (!shown.isDone || seen === null) return { refused: shown.text };
      return {
        question: "Remove a job?",
        language: "text",
        text: shown.text,
        reach: "a run in progress finishes as usual",
        answers: { allow: "Remove", deny: "Keep" },
        // The name may belong to another job when the button is pressed.
        previewDigest: seen.id,
      };
    },
    execute: async ({ job }, ctx) =>
      resultOf(await jobs.act("remove", ctx.previewDigest ?? job, await requestOf(ctx, deps))),
  });
}

function jobInputOf({ silent, name, prompt, cron, at, timezone }: NewJob): JobInput {
  return {
    name,
    prompt,
    ...(cron === undefined ? {} : { cron }),
    ...(at === undefined ? {} : { at }),
    ...(timezone === undefined ? {} : { timezone }),
    ...(silent === undefined ? {} : { silent: silent ? "yes" : "no" }),
  };
}

/** The person to whom the run is attributed, in the channel of its session. */
async function requestOf(ctx: ToolContext, { store, clock }: Omit<JobTools, "jobs">): Promise<JobRequest> {
  const [session, event] = await Promise.all([store.sessions.get(ctx.sessionId), startOf(store, ctx.runId)]);
  const author = event !== null && "author" in event.body ? event.body.author : null;
  const person = author ?? { id: session.people[0] ?? "deckhand", name: "deckhand" };
  // Roles are those that the platform sent with the message.
  return { person: { ...person, roles: author?.roles ?? [] }, thread: session.thread, at: clock.now(), isShared: true };
}

function resultOf({ isDone, text }: JobAnswer): ToolResult {
  return isDone ? textResult(text) : errorResult(text);
}
