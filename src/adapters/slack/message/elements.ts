import { button, joined, type Node, nodeOf, nodesIn, scalarText, textOf, time } from "./node.ts";

/** Keys with an element's initial choice, and how to write each value in mrkdwn. */
const CHOSEN: Readonly<Record<string, (value: unknown) => string>> = {
  initial_option: label,
  initial_options: label,
  initial_user: person,
  initial_users: person,
  initial_channel: channel,
  initial_channels: channel,
  initial_conversation: channel,
  initial_conversations: channel,
  initial_date: scalarText,
  initial_time: scalarText,
  initial_date_time: time,
  initial_value: scalarText,
  selected_options: label,
};

/** What is chosen in menus, pickers and fields of a form, of current and older kinds. */
export function chosenIn(element: Node): string[] {
  const chosen = Object.entries(CHOSEN).flatMap(([key, write]) => listed(element[key]).map(write));
  return chosen.filter((text) => text !== "");
}

/** The choice shown in a menu, a picker or a field, or its placeholder, and what a menu opens to. */
export function field(element: Node): string {
  const shown = menu(chosenIn(element).join(", ") || textOf(element.placeholder), element);
  return shown === "" ? "" : `[${shown}]`;
}

/** Maximum number of a menu's options that are named. Slack allows 100. */
const OPTIONS = 25;

/** What a menu shows and its options, which may be in groups. Source: Slack docs, Select menu element. */
export function menu(shown: string, { options, option_groups: groups }: Node): string {
  const all = [...nodesIn(options), ...nodesIn(groups).flatMap((group) => nodesIn(group.options))].map(label);
  const named = all.length > OPTIONS ? [...all.slice(0, OPTIONS), `and ${all.length - OPTIONS} more`] : all;
  return joined([shown, joined(named, ", ")], " of: ");
}

/** All options of radio buttons or checkboxes, with the chosen ones ticked. */
export function choices(element: Node): string {
  const chosen = new Set(chosenIn(element));
  const options = nodesIn(element.options).map((option) => {
    const text = label(option);
    return `[${chosen.has(text) ? "x" : " "}] ${joined([text, textOf(option.description)], ": ")}`;
  });
  return joined(options);
}

/** The options behind a `…` button, which act like buttons. */
export function overflow({ options }: Node): string {
  const shown = nodesIn(options).map(({ text, url, description }) =>
    button(joined([textOf(text), textOf(description)], ": "), textOf(url)),
  );
  return joined(shown, " ");
}

function listed(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.slice(0, 100) : [value];
}

function label(option: unknown): string {
  return scalarText(nodeOf(option).text);
}

function person(id: unknown): string {
  const known = textOf(id);
  return known === "" ? "" : `<@${known}>`;
}

function channel(id: unknown): string {
  const known = textOf(id);
  return known === "" ? "" : known.startsWith("U") || known.startsWith("W") ? person(known) : `<#${known}>`;
}
