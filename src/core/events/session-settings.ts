import { z } from "zod";
import { MODES } from "../agents/query-config.ts";

/** What people have set for one session, over what configuration says of its place. Stored as JSON. */
export const sessionSettingsSchema = z.object({
  mode: z.enum(MODES).exactOptional(),
  /**
   * Where the mode is above the usual one: whose requests it holds for, null for everyone's, and until when if nobody asks
   * anything; milliseconds since the epoch.
   */
  raised: z.object({ by: z.string().nullable(), until: z.number() }).exactOptional(),
  model: z.string().exactOptional(),
  effort: z.enum(["low", "medium", "high", "max"]).exactOptional(),
  /** A skill whose text stays in the prompt. */
  activeSkill: z.string().exactOptional(),
  /** What was typed after its name. */
  activeSkillLine: z.string().exactOptional(),
  /** Whether a manager plans and executors do. */
  managed: z.boolean().exactOptional(),
  /** The name of managed mode's preset; one that is there no more counts as none. */
  managedPreset: z.string().exactOptional(),
});
export type SessionSettings = z.infer<typeof sessionSettingsSchema>;

/** What a command changes; null takes a setting back. */
export type SettingsChange = { readonly [Key in keyof SessionSettings]?: SessionSettings[Key] | null };

export function changedSettings(settings: SessionSettings, change: SettingsChange): SessionSettings {
  const kept = Object.entries({ ...settings, ...change }).filter(([, value]) => value !== null);
  return sessionSettingsSchema.parse(Object.fromEntries(kept));
}

/** How long a raised mode outlasts the newest message of its thread. Milliseconds. */
export const RAISED_MS = 86_400_000;

/** Whether a raised mode is over, since nobody has written for so long. */
export function isLapsed({ raised }: SessionSettings, now: number): boolean {
  return raised !== undefined && raised.until <= now;
}

/** What a message changes of a raised mode, which holds on from it; null where there is none, or none any more. */
export function heldOn(settings: SessionSettings, now: number): SettingsChange | null {
  const { raised } = settings;
  return raised === undefined || isLapsed(settings, now) ? null : { raised: { ...raised, until: now + RAISED_MS } };
}

/** Whether the session's raised mode is not for what this person asks. */
export function isRaisedForOthers({ raised }: SessionSettings, personId: string): boolean {
  return raised !== undefined && raised.by !== null && raised.by !== personId;
}

/** The settings as they hold now, for what these people ask. */
export function settingsInForce(
  settings: SessionSettings,
  { now, askers = [] }: { readonly now: number; readonly askers?: readonly string[] },
): SessionSettings {
  const isForOthers = askers.some((id) => isRaisedForOthers(settings, id));
  return isLapsed(settings, now) || isForOthers ? changedSettings(settings, { mode: null, raised: null }) : settings;
}
