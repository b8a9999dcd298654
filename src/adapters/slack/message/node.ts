import { isObject } from "../../../core/text/from-json.ts";

/**
 * An untyped object within a message. Fields are read one by one, so that a missing, new or oddly typed field does not
 * keep the rest of the message from being read.
 */
export type Node = Readonly<Record<string, unknown>>;

/** Maximum number of entries read of one list. Slack allows 100 attachments, 50 blocks, and 100 rows in a table. */
const ENTRIES = 500;

/** Empty if the value is not an object. */
export function nodeOf(value: unknown): Node {
  return isObject(value) ? value : {};
}

/** The objects of a list; empty if the value is not a list. */
export function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.slice(0, ENTRIES).map(nodeOf) : [];
}

/** A string, or the text of a text object; empty if the value is neither. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value.trim();
  const { text } = nodeOf(value);
  return typeof text === "string" ? text.trim() : "";
}

/** Like `textOf`, but also converts numbers and booleans. */
export function scalarText(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : textOf(value);
}

/** A time in mrkdwn, from seconds since the epoch in any of Slack's notations; empty if there is none. */
export function time(value: unknown): string {
  const seconds = Math.floor(Number(scalarText(value)));
  return seconds > 0 ? `<!date^${seconds}^|>` : "";
}

export function joined(parts: readonly string[], by = "\n"): string {
  return parts.filter((part) => part !== "").join(by);
}

/** A link in mrkdwn; only its label if the address is not valid. */
export function link(label: string, url: string): string {
  if (url === "" || (label !== "" && !URL.canParse(url))) return label;
  const target = url.replaceAll(/[<>|\s]/gu, "");
  return label === "" || label === url ? `<${target}>` : `<${target}|${label.replaceAll(/[<>|\n]/gu, " ")}>`;
}

/** A button; one with an address becomes a link. */
export function button(label: string, url: string): string {
  return url === "" && label !== "" ? `[${label}]` : link(label, url);
}

/** A mention in mrkdwn of what an element names by id. There is no markup for workspaces, so these get a plain `@`. */
export function mention({ user_id, channel_id, usergroup_id, team_id }: Node): string {
  if (textOf(user_id) !== "") return `<@${textOf(user_id)}>`;
  if (textOf(channel_id) !== "") return `<#${textOf(channel_id)}>`;
  if (textOf(usergroup_id) !== "") return `<!subteam^${textOf(usergroup_id)}>`;
  return textOf(team_id) === "" ? "" : `@${textOf(team_id)}`;
}
