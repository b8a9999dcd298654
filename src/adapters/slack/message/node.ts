/**
 * An object of a message as Slack sends it. Its fields are read one by one: any may be missing, of another type or
 * new, and the rest of the message is to be read all the same.
 */
export type Node = Readonly<Record<string, unknown>>;

/** Entries of one list that are read. Slack takes 100 attachments and 50 blocks, and a table has 100 rows. */
const ENTRIES = 500;

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Empty where the value is no object. */
export function nodeOf(value: unknown): Node {
  return isNode(value) ? value : {};
}

/** The objects of a list; none where the value is no list. */
export function nodesIn(value: unknown): Node[] {
  return Array.isArray(value) ? value.slice(0, ENTRIES).map(nodeOf) : [];
}

/** A text, or what a text object says; empty where there is neither. */
export function words(value: unknown): string {
  if (typeof value === "string") return value.trim();
  const { text } = nodeOf(value);
  return typeof text === "string" ? text.trim() : "";
}

/** The same, and of a figure or a yes or no what Slack shows of it. */
export function said(value: unknown): string {
  return typeof value === "number" || typeof value === "boolean" ? String(value) : words(value);
}

/** Seconds since the epoch, as Slack writes them in different ways, in its own markup; empty for what is no time. */
export function time(value: unknown): string {
  const seconds = Math.floor(Number(said(value)));
  return seconds > 0 ? `<!date^${seconds}^|>` : "";
}

export function joined(parts: readonly string[], by = "\n"): string {
  return parts.filter((part) => part !== "").join(by);
}

/** A link in Slack's own markup; only its label where it leads nowhere, as an address without a host. */
export function link(label: string, url: string): string {
  if (url === "" || (label !== "" && !URL.canParse(url))) return label;
  const target = url.replaceAll(/[<>|\s]/gu, "");
  return label === "" || label === url ? `<${target}>` : `<${target}|${label.replaceAll(/[<>|\n]/gu, " ")}>`;
}

/** A button; one that leads somewhere is a link. */
export function button(label: string, url: string): string {
  return url === "" && label !== "" ? `[${label}]` : link(label, url);
}

/** Who or what an element names by id, in Slack's own markup, which has none for a workspace. */
export function mention({ user_id, channel_id, usergroup_id, team_id }: Node): string {
  if (words(user_id) !== "") return `<@${words(user_id)}>`;
  if (words(channel_id) !== "") return `<#${words(channel_id)}>`;
  if (words(usergroup_id) !== "") return `<!subteam^${words(usergroup_id)}>`;
  return words(team_id) === "" ? "" : `@${words(team_id)}`;
}
