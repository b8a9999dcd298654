import { holdsSecret } from "../../config/schema-node.ts";
import { appliesAtOnce } from "../../config/stored/live.ts";
import type { PageSettings } from "../../config/stored/page-settings.ts";
import { isWithinPath, type Path, valueAt } from "../../config/stored/plain.ts";
import { type SettingsNodes, settingsNodes } from "../../config/stored/settings-nodes.ts";
import { isObject } from "../../core/text/from-json.ts";
import type { SettingSource, ShownSetting } from "../../feature.ts";
import { type Leaf, leavesOf } from "./controls.ts";

/** Settings that an environment variable can also set. */
const VARIABLES: Readonly<Record<string, string>> = {
  model: "DECKHAND_MODEL",
  fallbackModel: "DECKHAND_FALLBACK_MODEL",
};

/** Settings that can be written under a second name in the file, which then takes precedence. */
const SAME: Readonly<Record<string, Path>> = { "budgets.runUsd": ["maxBudgetUsd"] };

type Shown = Pick<PageSettings, "origin" | "set" | "values" | "next">;

/** Returns a function that finds the setting (or a record's entry) at a path; null if the page cannot set it. */
export function placesOf(settings: Pick<PageSettings, "origin">): (path: Path) => Path | null {
  const nodes = settingsNodes(settings.origin.features);
  const leaves = allLeaves(nodes);
  return (path) => {
    const leaf = leaves.findLast((one) => isWithinPath(path, one.path));
    if (leaf === undefined || nodes.fileOnlyReason(path) !== null) return null;
    return path.slice(0, leaf.path.length + (leaf.control.type === "record" ? 1 : 0));
  };
}

function allLeaves(nodes: SettingsNodes): readonly Leaf[] {
  return nodes.keys.flatMap((key) => {
    const node = nodes.node(key);
    return node === null ? [] : leavesOf([key], node);
  });
}

/** Every setting with its value and source, in the order of the settings file's schema. */
export function shownSettings(settings: Shown): ShownSetting[] {
  const nodes = settingsNodes(settings.origin.features);
  const values = settings.values(settings.set);
  return allLeaves(nodes).map((leaf) => shown(leaf, { settings, nodes, values }));
}

interface World {
  readonly settings: Shown;
  readonly nodes: SettingsNodes;
  readonly values: unknown;
}

function shown({ path, node, control }: Leaf, { settings, nodes, values }: World): ShownSetting {
  const { origin, set, next } = settings;
  const { file } = origin.layers;
  const by = setAbove(path, settings);
  const isSecret = isHidden(path[0] ?? "", nodes, origin.features);
  const { description, examples } = node;
  const own = valueAt(set, path);
  const inFile = valueAt(file.value, path);
  const isRecord = control.type === "record";
  const isAbove = by !== null && (!isRecord || own === undefined);
  const from: SettingSource = isAbove
    ? { type: "above", by }
    : own === undefined
      ? { type: "default" }
      : { type: "page" };
  const value = asControl(
    valueAt(values, path) ?? (path.length === 1 ? Reflect.get(next.query, path[0] ?? "") : undefined),
    control,
  );
  return {
    path,
    control,
    description: typeof description === "string" ? description : "",
    ...(examples?.[0] === undefined ? {} : { example: examples[0] }),
    ...(isSecret || value === null ? {} : { value }),
    ...(isSecret && by !== null ? { isHidden: true } : {}),
    ...(own === undefined ? {} : { set: asControl(own, control) }),
    from: isSecret && by !== null ? { type: "above", by } : from,
    locked:
      nodes.fileOnlyReason(path) ??
      (isAbove && !isRecord ? `${by} sets it and takes precedence over this page.` : null),
    holdsAtOnce: appliesAtOnce(path),
    ...(isRecord && isObject(inFile) && !isSecret ? { inFile } : {}),
  };
}

/** For a switch, an object counts as on. */
function asControl(value: unknown, { type }: Leaf["control"]): unknown {
  return type === "switch" && isObject(value) ? true : value;
}

function isHidden(key: string, nodes: SettingsNodes, features: Shown["origin"]["features"]): boolean {
  const node = nodes.node(key);
  const isOwn = features.some(({ settings }) => settings.ownKeys?.includes(key) === true);
  return isOwn || (node !== null && holdsSecret(node));
}

/** The variable or file that sets this path; null if neither does. */
export function setAbove(path: Path, { origin }: Pick<PageSettings, "origin">): string | null {
  const { environment, file } = origin.layers;
  const variable = path.length === 1 ? VARIABLES[path[0] ?? ""] : undefined;
  if (variable !== undefined && environment.value[variable] !== undefined) return variable;
  const twin = SAME[path.join(".")];
  if (twin !== undefined && valueAt(file.value, twin) !== undefined) return `${twin.join(".")} in ${file.name}`;
  return isSetIn(file.value, path) ? file.name : null;
}

/** Whether the path is set, or a value that is not an object blocks it. */
function isSetIn(root: unknown, path: Path): boolean {
  return path.some((_, index) => {
    const value = valueAt(root, path.slice(0, index + 1));
    return value !== undefined && (index === path.length - 1 || !isObject(value));
  });
}
