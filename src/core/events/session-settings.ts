import { z } from "zod";
import { EFFORT_LEVELS, MODES } from "../agents/query-config.ts";

/** Settings that people made for one session, over those of the configuration. Stored as JSON. */
export const sessionSettingsSchema = z.object({
  mode: z.enum(MODES).exactOptional(),
  /**
   * Set while the mode is above the usual one. `by`: the person for whose requests it holds, null for everyone's.
   * `until`: when it lapses if nobody writes, in milliseconds since the epoch.
   */
  raised: z.object({ by: z.string().nullable(), until: z.number() }).exactOptional(),
  model: z.string().exactOptional(),
  effort: z.enum(EFFORT_LEVELS).exactOptional(),
  /** A skill whose text stays in the prompt. */
  activeSkill: z.string().exactOptional(),
  /** The text typed after the skill's name. */
  activeSkillLine: z.string().exactOptional(),
  /** Whether managed mode is on, in which a manager plans and executors do the work. */
  managed: z.boolean().exactOptional(),
  /** Name of managed mode's preset. An unknown name counts as none. */
  managedPreset: z.string().exactOptional(),
});
export type SessionSettings = z.infer<typeof sessionSettingsSchema>;

/** Changes by a command; null resets a setting. */
export type SettingsChange = { readonly [Key in keyof SessionSettings]?: SessionSettings[Key] | null };

export function changedSettings(settings: SessionSettings, change: SettingsChange): SessionSettings {
  const kept = Object.entries({ ...settings, ...change }).filter(([, value]) => value !== null);
  return sessionSettingsSchema.parse(Object.fromEntries(kept));
}

/** How long a raised mode outlasts the thread's newest message. Milliseconds. */
export const RAISED_MS = 86_400_000;

/** Whether a raised mode has lapsed because nobody wrote for too long. */
function isModeLapsed({ raised }: SessionSettings, now: number): boolean {
  return raised !== undefined && raised.until <= now;
}

/** Extends a raised mode at a new message; null if there is none or it has lapsed. */
export function extendRaisedMode(settings: SessionSettings, now: number): SettingsChange | null {
  const { raised } = settings;
  return raised === undefined || isModeLapsed(settings, now) ? null : { raised: { ...raised, until: now + RAISED_MS } };
}

/** Whether the session's raised mode does not hold for this person's requests. */
export function isRaisedForOthers({ raised }: SessionSettings, personId: string): boolean {
  return raised !== undefined && raised.by !== null && raised.by !== personId;
}

/** The settings in force now for requests of these people. */
export function settingsInForce(
  settings: SessionSettings,
  { now, askers = [] }: { readonly now: number; readonly askers?: readonly string[] },
): SessionSettings {
  const isForOthers = askers.some((id) => isRaisedForOthers(settings, id));
  return isModeLapsed(settings, now) || isForOthers
    ? changedSettings(settings, { mode: null, raised: null })
    : settings;
}
