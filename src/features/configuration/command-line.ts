import type { SubcommandWorld } from "../../cli/subcommand.ts";
import { secretsOf } from "../../config/describe.ts";
import { skippedLine } from "../../config/stored/apply-stored.ts";
import { secretMasking } from "../../core/text/secret-masking.ts";
import type { ShownSetting } from "../../feature.ts";
import { shownSettings } from "./shown.ts";

interface SettingsRequest {
  /** Print all settings as JSON, for programs. */
  readonly json: boolean;
}

/** Maximum length of a value in a line, in characters. */
const MAX_CHARS = 60;

export function runSettings(
  request: SettingsRequest,
  { config, terminal, withSettings }: SubcommandWorld,
): Promise<void> {
  const { hideIn } = secretMasking(secretsOf(config));
  return withSettings((settings) => {
    for (const each of settings.skipped) terminal.error(`⚠ ${skippedLine(each)}`);
    for (const line of settingLines(hideIn(shownSettings(settings)), request)) terminal.out(line);
  });
}

function settingLines(settings: readonly ShownSetting[], { json }: SettingsRequest): string[] {
  if (json) return [JSON.stringify(settings.map(asData), null, 2)];
  const lines = settings
    .filter(({ value, isHidden }) => value !== undefined || isHidden === true)
    .map((setting) => [setting.path.join("."), valueOf(setting), sourceOf(setting)]);
  const [first, second] = [0, 1].map((column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map(
    ([name = "", value = "", from = ""]) => `${name.padEnd(first ?? 0)}  ${value.padEnd(second ?? 0)}  ${from}`,
  );
}

function asData({ path, value, isHidden, from, holdsAtOnce, locked }: ShownSetting) {
  const by = from.type === "above" ? { by: from.by } : {};
  return {
    path,
    value: isHidden === true ? "(not shown)" : (value ?? null),
    from: from.type,
    ...by,
    holdsAtOnce,
    locked,
  };
}

function valueOf({ value, isHidden }: ShownSetting): string {
  if (isHidden === true) return "(not shown)";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length > MAX_CHARS ? `${line.slice(0, MAX_CHARS - 1)}…` : line;
}

function sourceOf({ from }: ShownSetting): string {
  return from.type === "above" ? from.by : from.type === "page" ? "set on the page" : "default";
}
