import type { Definition } from "../../core/agents/page-definitions.ts";
import type { FullDefinition, ListedDefinition } from "../../feature.ts";
import type { StoredRevision } from "./stored-definitions.ts";

export function listedDefinition(
  { name, description, own, shipped, facts }: Definition,
  newest: StoredRevision | null,
): ListedDefinition {
  const isSet = newest !== null && newest.content !== null;
  const from = own !== null ? "file" : isSet ? "page" : "shipped";
  return { name, description, from, place: own?.place ?? null, hasShipped: shipped !== null, facts };
}

export function fullDefinition(definition: Definition, newest: StoredRevision | null): FullDefinition {
  const { own, shipped } = definition;
  const text = own?.text ?? newest?.content ?? shipped ?? "";
  return { ...listedDefinition(definition, newest), text, number: newest?.number ?? 0, shipped };
}
