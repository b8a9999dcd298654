import { z } from "zod";

/** What people have set for one session, over what configuration says of its place. Stored as JSON. */
export const sessionSettingsSchema = z.object({
  mode: z.enum(["read", "write", "agi"]).exactOptional(),
  /** `provider/model`. */
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
