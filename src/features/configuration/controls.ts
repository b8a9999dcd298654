import { alternatives, fieldsOf, type SchemaNode } from "../../config/schema-node.ts";
import type { Path } from "../../config/stored/plain.ts";
import type { SettingControl } from "../../feature.ts";

/** A setting that is changed on its own, and the control for it. */
export interface Leaf {
  readonly path: Path;
  readonly node: SchemaNode;
  readonly control: SettingControl;
}

/**
 * The settings below a key of the settings file that are changed on their own. Objects are split into their fields;
 * records and lists are not.
 */
export function leavesOf(path: Path, node: SchemaNode): readonly Leaf[] {
  const own = controlOf(node);
  const fields = own?.type === "record" ? [] : [...fieldsOf(node)];
  // If the file accepts either a text or an object, the page offers the text.
  const inner = own?.type === "text" ? [] : fields.flatMap(([name, field]) => leavesOf([...path, name], field));
  return [...(own === null ? [] : [{ path, node, control: own }]), ...inner];
}

/** Null for an object, whose fields have controls of their own. */
function controlOf(node: SchemaNode): SettingControl | null {
  const all = alternatives(node);
  const of = (type: string) => all.find((one) => one["type"] === type);
  const { additionalProperties } = node;
  if (typeof additionalProperties === "object" && additionalProperties !== null) {
    return { type: "record", of: Reflect.get(additionalProperties, "type") === "string" ? "text" : "object" };
  }
  const options = node["enum"];
  if (Array.isArray(options)) return { type: "choice", options: options.map(String) };
  if (of("boolean") !== undefined) return { type: "switch" };
  if (of("string") !== undefined) return { type: "text" };
  if (of("array") !== undefined) return { type: "list" };
  return numberOf(of("integer") ?? of("number"));
}

function numberOf(node: SchemaNode | undefined): SettingControl | null {
  if (node === undefined) return null;
  const { type, minimum, maximum } = node;
  return {
    type: "number",
    isWhole: type === "integer",
    ...(typeof minimum === "number" && minimum > Number.MIN_SAFE_INTEGER ? { least: minimum } : {}),
    ...(typeof maximum === "number" && maximum < Number.MAX_SAFE_INTEGER ? { most: maximum } : {}),
  };
}
