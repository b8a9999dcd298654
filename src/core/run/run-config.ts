import { z } from "zod";
import { isAbove, MODES, type Mode, type QueryConfig } from "../agents/query-config.ts";
import { isPlainType, lesserAccess, subAgent } from "../agents/sub-agents.ts";
import type { BudgetSettings } from "../budget/limits.ts";
import type { TurnContext, Wake } from "../engine/engine.ts";
import type { ChildEvent } from "../events/child-event.ts";
import { taskTreeOf } from "../events/child-task.ts";
import type { SessionEventBody } from "../events/session-event.ts";
import {
  extendRaisedMode,
  type SessionSettings,
  sessionSettingsSchema,
  settingsInForce,
} from "../events/session-settings.ts";
import { narrowConfigTools, toolsOfSkills } from "../input/run-skills.ts";
import { authorOf } from "../people/run-people.ts";
import { publicMessage } from "../platform/replies.ts";
import { AppError } from "../protocol/errors.ts";
import type { SessionRow } from "../store/sessions.ts";
import type { ChannelConfig, RunnerOptions } from "./runner-options.ts";

const begunSchema = z.object({
  settings: sessionSettingsSchema,
  mode: z.enum(MODES),
  /** Tools that the session's skills allowed; empty for runs begun by an earlier version. */
  skillTools: z.array(z.array(z.string())).default([]),
});

interface StartingWake {
  readonly wake: Pick<Wake, "session" | "event" | "pending">;
  readonly context: Pick<TurnContext, "stage" | "defer" | "post">;
}

/**
 * The settings of a run, frozen at its beginning, so that a pending decision is not judged by other settings than it
 * was requested under. Changed settings apply to the next run. Only restrictions take effect at once: a lesser mode,
 * and fewer tools of its skills. Changing or deleting a SKILL.md during the run therefore frees nothing.
 */
export async function configAtStart(
  { wake, context }: StartingWake,
  options: Pick<RunnerOptions, "channelConfigOf" | "skillsOf" | "delegate" | "runtime">,
): Promise<ChannelConfig> {
  const { channelConfigOf, skillsOf, delegate, runtime } = options;
  const { session, event } = wake;
  const { body } = event;
  const { settings: now } = session;
  const toolsNow = (root: string) => toolsOfSkills({ body, settings: now }, () => skillsOf(root, session.channelKey));
  const delegating = (settings: SessionSettings) => (config: QueryConfig) => delegate(config, settings);
  let read: ChannelConfig | undefined;
  const begun = await context.stage("begun", async () => {
    // The people whose messages the run answers.
    const asked = wake.pending.filter(({ body }) => body.kind === "message" && body.addressed);
    const askers = [event, ...asked].map(({ body }) => authorOf(body).id);
    const settings = settingsInForce(now, { now: runtime.clock.now(), askers });
    read = await channelConfigOf({ ...session, settings });
    const { config, sandboxRoot } = configOfRun(body, read, delegating(settings));
    if (body.kind === "message") await storeRaisedMode(session, { context, usual: config.mode }, runtime.clock.now());
    return { settings, mode: config.mode, skillTools: toolsNow(sandboxRoot) };
  });
  const { settings, mode, skillTools } = begunSchema.parse(begun);
  read ??= await channelConfigOf({ ...session, settings });
  const { config, ...place } = configOfRun(body, read, delegating(settings));
  const lists = [...skillTools, ...toolsNow(place.sandboxRoot)];
  return {
    ...place,
    config: narrowConfigTools(lists, { ...config, mode: isAbove(mode, config.mode) ? config.mode : mode }),
  };
}

/** Extends a raised mode with each message. If it has expired, lowers it again and posts a notice in the thread. */
async function storeRaisedMode(
  { id, settings }: SessionRow,
  { context, usual }: Pick<StartingWake, "context"> & { readonly usual: Mode },
  now: number,
): Promise<void> {
  const { raised, mode } = settings;
  if (raised === undefined) return;
  const held = extendRaisedMode(settings, now);
  if (held === null) {
    const text = `This thread is back in mode **${usual}**: nobody has written here in \`${mode}\` for 24 hours.`;
    await context.post("mode", publicMessage(text));
  }
  const change = held ?? { mode: null, raised: null };
  context.defer("mode", async (tx) => void (await tx.sessions.changeSettings(id, change, now)));
}

/**
 * The settings of the run that an event began. Jobs and sub-agents bring their own rights. A sub-agent keeps only those
 * of its rights that the current settings still allow.
 */
export function configOfRun(
  body: SessionEventBody,
  place: ChannelConfig,
  delegate: (config: QueryConfig) => QueryConfig,
): ChannelConfig {
  switch (body.kind) {
    case "child": {
      const { task, access, mode, tools, grantedTools, maxTurns } = body;
      const { config } = place;
      const type = isPlainType(task.agent) ? null : config.agentDefinition;
      const rights = { access: type === null ? access : lesserAccess(access, type.access), maxTurns };
      const agentDefinition = subAgent(type, { name: task.agent, ...rights }, task.isolated === true);
      const toolAllow = tools.filter((name) => config.toolAllow?.includes(name) ?? true);
      return { ...place, config: { ...config, agentDefinition, mode, toolAllow, grantedTools } };
    }
    case "child_end": {
      const { job } = body;
      const rights = job === null ? {} : { mode: job.mode, grantedTools: job.tools };
      return { ...place, config: delegate({ ...place.config, ...rights }) };
    }
    case "job":
      if (body.refusal !== undefined) throw new AppError("config", body.refusal);
      return { ...place, config: delegate({ ...place.config, mode: body.mode, grantedTools: body.tools }) };
    default:
      return { ...place, config: delegate(place.config) };
  }
}

/** Whether nobody is available to answer the run's questions. */
export function isUnattended(body: SessionEventBody): boolean {
  return body.kind === "job" || ((body.kind === "child" || body.kind === "child_end") && body.nonInteractive);
}

/**
 * The budget limits of an event's run. The limit of a task tree also covers its sub-agents. A job's own budget can only
 * lower the operator's limit.
 */
export function budgetsOfRun(body: SessionEventBody, budgets: BudgetSettings, config: QueryConfig): BudgetSettings {
  const ownUsd = jobOf(body)?.budgetUsd ?? null;
  const managedUsd = body.kind === "child" ? body.managedUsd : config.delegation?.taskTreeUsd;
  return {
    ...budgets,
    ...(ownUsd === null ? {} : { jobUsd: Math.min(ownUsd, budgets.jobUsd ?? ownUsd) }),
    ...(managedUsd === undefined ? {} : { managedUsd }),
    ...(config.maxBudgetUsd === undefined ? {} : { runUsd: config.maxBudgetUsd }),
  };
}

/** Number of consecutive runs, including this one, that ends of sub-agents have begun. */
export function autoWakeCountOf(body: SessionEventBody): number {
  if (body.kind === "child_end") return (body.task.autoWakeCount ?? 0) + 1;
  return body.kind === "child" ? (body.task.autoWakeCount ?? 0) : 0;
}

/** The task tree that a run belongs to, identified by its root run. `began` is the event that began the run. */
export function taskTreeOfRun(began: SessionEventBody, runId: string): string {
  return began.kind === "child" || began.kind === "child_end" ? taskTreeOf(began.task) : runId;
}

/** The rights of the job that a run originates from; null if a person started it. */
export function jobOf(body: SessionEventBody): ChildEvent["job"] {
  switch (body.kind) {
    case "job":
      return { mode: body.mode, tools: body.tools, budgetUsd: body.budgetUsd };
    case "child":
    case "child_end":
      return body.job;
    default:
      return null;
  }
}
