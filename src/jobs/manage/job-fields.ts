import { hash } from "node:crypto";
import { JOB_FIELDS } from "../../core/jobs/job-control.ts";
import { WHEN } from "../../core/jobs/job-form.ts";
import type { FormField } from "../../core/protocol/form.ts";
import { type JobRow, type JobSettings, settingsOf } from "../../core/store/jobs.ts";
import { openZone } from "../calendar/wall-clock.ts";
import { JOB_DEFAULTS } from "../scheduling/job-input.ts";

export interface JobFieldsOptions {
  /** Null for a new job. */
  readonly settings: JobSettings | null;
  readonly timezone: string;
  /** Whether an operator set the time zone. */
  readonly isTimezoneSet: boolean;
  readonly agents: ReadonlySet<string>;
  readonly skills: ReadonlySet<string>;
  /** False on platforms with a single channel. */
  readonly hasChannels: boolean;
}

/** The fields of a job's form, most important first. All other settings have flags only. */
export function jobFields({ settings, agents, skills, hasChannels, ...zone }: JobFieldsOptions): FormField[] {
  const { mode, overlap, tools, silentWhenUnchanged: isSilent } = settings ?? JOB_DEFAULTS;
  const text = { kind: "text", required: false } as const;
  return [
    {
      ...text,
      name: "name",
      label: "Name",
      hint: "by default, the first words of the prompt",
      ...given(settings?.name),
    },
    {
      ...text,
      name: WHEN,
      label: "When",
      required: true,
      hint: "repeatedly: 0 9 * * 1-5, @daily; once: 2026-12-01 09:00, tomorrow 9:00, in 2 hours",
      ...given(settings === null ? "" : whenOf(settings)),
    },
    { name: "prompt", label: "What to do", kind: "multiline", required: true, ...given(settings?.prompt) },
    {
      ...text,
      name: "timezone",
      label: "Time zone",
      hint: "for example Europe/Paris",
      value: settings?.timezone ?? zone.timezone,
      ...(settings === null && !zone.isTimezoneSet ? { isMachinesZone: true } : {}),
    },
    ...(hasChannels
      ? [
          {
            name: "channel",
            label: "Channel for reports",
            kind: "channel",
            required: false,
            hint: "here by default",
            ...given(settings?.thread.channelId),
          } as const,
        ]
      : []),
    choice("agent", "Agent", { hint: "the channel's by default", choices: [...agents], ...given(settings?.agent) }),
    ...(skills.size === 0 && !settings?.skill
      ? []
      : [choice("skill", "Skill", { choices: withOwn(skills, settings?.skill), ...given(settings?.skill) })]),
    choice("mode", "Mode", { hint: "read: the job only looks", choices: choicesOf("mode"), value: mode }),
    {
      ...text,
      name: "tools",
      label: "Additional tools",
      hint: "separated by commas",
      ...given(tools.join(", ")),
    },
    choice("overlap", "If the previous run is still going", { choices: choicesOf("overlap"), value: overlap }),
    choice("silent", "Silent if the report is unchanged", {
      choices: choicesOf("silent"),
      value: isSilent ? "yes" : "no",
    }),
  ];
}

/** Changes with the job's settings, but not when it is paused or runs. */
export function versionOf(job: JobRow): string {
  return hash("sha256", JSON.stringify(settingsOf(job))).slice(0, 8);
}

function choice(name: string, label: string, more: Pick<FormField, "choices" | "hint" | "value">): FormField {
  return { name, label, kind: "choice", required: false, ...more };
}

/** Adds the job's own skill with its arguments, because a menu without it would drop it. */
function withOwn(names: ReadonlySet<string>, own: string | null | undefined): readonly string[] {
  return own === null || own === undefined ? [...names] : [...new Set([...names, own])];
}

function choicesOf(field: "mode" | "overlap" | "silent"): readonly string[] {
  const found = JOB_FIELDS.find(({ name }) => name === field);
  return found !== undefined && "choices" in found ? found.choices : [];
}

function given(text: string | null | undefined): { readonly value?: string } {
  return text === null || text === undefined || text === "" ? {} : { value: text };
}

/** The time as typed: the expression, or the moment in the zone's wall time. */
function whenOf({ cron, dueOnce, timezone }: JobSettings): string {
  const zone = openZone(timezone);
  if (cron !== null || dueOnce === null || zone === null) return cron ?? "";
  return new Date(zone.wallAt(dueOnce)).toISOString().slice(0, 19).replace("T", " ").replace(/:00$/u, "");
}
