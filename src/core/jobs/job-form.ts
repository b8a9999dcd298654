import type { FormProblems, FormValues } from "../protocol/form.ts";
import { JOB_FIELDS, type JobInput, type JobProblems } from "./job-control.ts";

/** The form field for both repeating schedules and single due times. */
export const WHEN = "when";

const NAMES: ReadonlySet<string> = new Set(JOB_FIELDS.map(({ name }) => name));

/** The values of fields that were cleared. Other cleared fields keep their values. */
const EMPTIED: JobInput = { agent: "", skill: "", tools: "", mode: "read", overlap: "skip", silent: "no" };

/** Marks fields without a value as cleared, for platforms where fields are typed as lines and a line can be deleted. */
export function markClearedFields(filled: FormValues): FormValues {
  return { ...Object.fromEntries(Object.keys(EMPTIED).map((name) => [name, ""])), ...filled };
}

/** Identifies the job that a form changes, and the version shown: `job_1@1a2b3c4d`. */
export function formTarget(job: { readonly id: string; readonly version: string }): string {
  return `${job.id}@${job.version}`;
}

export function readTarget(target: string): { readonly id: string; readonly version?: string } {
  const [id = "", version] = target.split("@");
  return version === undefined ? { id } : { id, version };
}

export type ReadForm =
  | { readonly type: "input"; readonly input: JobInput }
  | { readonly type: "wrong"; readonly problems: FormProblems };

/** Converts submitted values into a job's input. */
export function readJobForm(filled: FormValues, { isNew }: { readonly isNew: boolean }): ReadForm {
  const { [WHEN]: when = "", ...others } = filled;
  const unknown = Object.keys(others).filter((name) => !NAMES.has(name));
  if (unknown.length > 0)
    return { type: "wrong", problems: Object.fromEntries(unknown.map((name) => [name, NO_FIELD])) };
  const emptied: Readonly<Record<string, string>> = isNew ? {} : EMPTIED;
  const set = Object.entries(others).flatMap(([name, value]) => {
    const given = value.trim() === "" ? emptied[name] : value;
    return given === undefined ? [] : [[name, given] as const];
  });
  return { type: "input", input: { ...Object.fromEntries(set), ...whenOf(when.trim()) } };
}

const NO_FIELD = `There is no such field. Use ${[...NAMES].join(", ")}.`;

/**
 * Decides whether the job is due once (a date, a day with a time, a time alone, or “in 2 hours”) or repeats (anything
 * else).
 */
function whenOf(when: string): JobInput {
  if (when === "") return {};
  return ONCE.test(when) ? { at: when } : { cron: when };
}

const ONCE =
  /^(?:in\s|\d{4}-\d|(?:(?:on|next) )?(?:today|tomorrow|(?:sun|mon|tue|wed|thu|fri|sat)[a-z]*)\s|(?:at )?(?:\d{1,2}:\d|\d{1,2} ?[ap]m))/iu;

/** Maps an input's problems to the fields of the form. */
export function formProblems(problems: JobProblems): FormProblems {
  const { cron, at, ...others } = problems;
  const when = cron ?? at;
  return { ...(when === undefined ? {} : { [WHEN]: when }), ...others };
}
