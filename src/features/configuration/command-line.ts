import type { ShownSetting } from "../../feature.ts";

/** Characters of a value in one line. */
const MOST_CHARS = 60;

/** `deckhand settings`: a line for each that has a value, or all as JSON. */
export function settingLines(settings: readonly ShownSetting[], { json }: { readonly json: boolean }): string[] {
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
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS - 1)}…` : line;
}

function sourceOf({ from }: ShownSetting): string {
  return from.type === "above" ? from.by : from.type === "page" ? "set on the page" : "default";
}
