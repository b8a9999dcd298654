import type { Definition } from "../../core/agents/page-definitions.ts";
import type { Kept } from "./kept.ts";

/** A line of the list. */
interface ListedDefinition {
  readonly name: string;
  readonly description: string;
  /** Where what holds is from: the operator's files and settings, the page, or what comes with the program. */
  readonly from: "file" | "page" | "shipped";
  /** Where it stands, for one that the operator has written down. */
  readonly place: string | null;
  readonly hasShipped: boolean;
}

/** One of them with its text. */
interface WholeDefinition extends ListedDefinition {
  /** What is edited: the page's text, or the shipped one; of one that the operator has written down, that. */
  readonly text: string;
  /** The number of the newest revision; 0 where there is none. */
  readonly number: number;
  readonly facts: Definition["facts"];
  /** As it comes with the program; null: nothing of that name does. */
  readonly shipped: string | null;
}

export function listed({ name, description, own, shipped }: Definition, newest: Kept | null): ListedDefinition {
  const isSet = newest !== null && newest.content !== null;
  const from = own !== null ? "file" : isSet ? "page" : "shipped";
  return { name, description, from, place: own?.place ?? null, hasShipped: shipped !== null };
}

export function whole(definition: Definition, newest: Kept | null): WholeDefinition {
  const { own, shipped, facts } = definition;
  const text = own?.text ?? newest?.content ?? shipped ?? "";
  return { ...listed(definition, newest), text, number: newest?.number ?? 0, facts, shipped };
}
