import { joined, type Node, nodeOf, nodesIn, said, time, words } from "./node.ts";

/** What an element holds before anybody has touched it, by its key: how each value is written in the markup of `text`. */
const CHOSEN: Readonly<Record<string, (value: unknown) => string>> = {
  initial_option: label,
  initial_options: label,
  initial_user: person,
  initial_users: person,
  initial_channel: channel,
  initial_channels: channel,
  initial_conversation: channel,
  initial_conversations: channel,
  initial_date: said,
  initial_time: said,
  initial_date_time: time,
  initial_value: said,
  selected_options: label,
};

/** What is chosen in menus, pickers and fields of a form, of this and of older kinds. */
export function chosenIn(element: Node): string[] {
  const chosen = Object.entries(CHOSEN).flatMap(([key, write]) => listed(element[key]).map(write));
  return chosen.filter((text) => text !== "");
}

/** A menu, a picker or a field of a form: what is chosen in it, or the hint that stands there until something is. */
export function field(element: Node): string {
  const shown = chosenIn(element).join(", ") || words(element.placeholder);
  return shown === "" ? "" : `[${shown}]`;
}

/** Radio buttons and checkboxes show all that there is to choose. */
export function choices(element: Node): string {
  const chosen = new Set(chosenIn(element));
  const options = nodesIn(element.options).map((option) => {
    const text = label(option);
    return `[${chosen.has(text) ? "x" : " "}] ${joined([text, words(option.description)], ": ")}`;
  });
  return joined(options);
}

function listed(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.slice(0, 100) : [value];
}

function label(option: unknown): string {
  return said(nodeOf(option).text);
}

function person(id: unknown): string {
  const known = words(id);
  return known === "" ? "" : `<@${known}>`;
}

function channel(id: unknown): string {
  const known = words(id);
  return known === "" ? "" : known.startsWith("U") || known.startsWith("W") ? person(known) : `<#${known}>`;
}
