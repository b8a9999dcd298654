/** Who and what a text names, by id; unknown ids read as themselves. */
export interface Names {
  readonly people: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
}

const PERSON = /<@(?<id>[UW][A-Z0-9]+)(?:\|[^<>]*)?>/gu;
const CHANNEL = /<#(?<id>[CDG][A-Z0-9]+)(?:\|)?>/gu;
/** A mention with what sets it off from the words after it. */
const CALLED = /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>[,:]?[ \t]?/gu;
const REFERENCE = /<(?<body>[^<>\n]+)>/gu;

/** Ids of the people a text mentions, in order, each once. */
export function mentionedIn(text: string): string[] {
  return [...new Set([...text.matchAll(PERSON)].map((match) => match.groups?.id ?? ""))];
}

/** Ids of the channels that a text names without saying what they are called, each once. */
export function channelsIn(text: string): string[] {
  return [...new Set([...text.matchAll(CHANNEL)].map((match) => match.groups?.id ?? ""))];
}

/** The id a text begins by addressing, or null. */
export function addressedFirst(text: string): string | null {
  return /^<@(?<id>[UW][A-Z0-9]+)/u.exec(text.trimStart())?.groups?.id ?? null;
}

/** The text without mentions of one person, as when they are called by name. */
export function withoutMentionOf(text: string, userId: string): string {
  return text
    .replaceAll(CALLED, (whole, id: string) => (id === userId ? "" : whole))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** Slack's mrkdwn as the model may read it: mentions by name, links as Markdown, entities as characters. */
export function readableText(text: string, names: Names): string {
  return text
    .replaceAll(REFERENCE, (whole, body: string) => reference(body, names) ?? whole)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** With Slack's three control characters as entities: nothing in it is a mention or a link. */
export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function reference(body: string, names: Names): string | null {
  const bar = body.indexOf("|");
  const target = bar === -1 ? body : body.slice(0, bar);
  const label = bar === -1 ? "" : body.slice(bar + 1);
  const id = target.slice(1);
  switch (target.charAt(0)) {
    case "@":
      return `@${names.people.get(id) ?? (label === "" ? id : label)}`;
    case "#":
      return channel(id, label === "" ? (names.channels.get(id) ?? "") : label);
    case "!":
      return special(id, label);
    default:
      if (!/^(?:https?|mailto|tel):/u.test(target)) return null;
      return link(target, label);
  }
}

/** A word that ends as a domain does, such as README.md or deploy.sh, becomes a link of Slack's own: its label was typed. */
function link(target: string, label: string): string {
  if (target === `http://${label}` || target === `http://${label}/`) return label;
  return label === "" || target.endsWith(label) ? target.replace(/^mailto:/u, "") : `[${label}](${target})`;
}

/** With its id, by which it can be asked for: names change, and those of private channels lead nowhere. */
function channel(id: string, name: string): string {
  return name === "" || name === id ? `#${id}` : `#${name}(${id})`;
}

/** Calls to groups, and moments. Source: Slack docs, Formatting text, Special mentions, Date formatting. */
function special(target: string, label: string): string {
  const [kind = "", value = ""] = target.split("^", 2);
  switch (kind) {
    case "subteam":
      return label === "" ? `@group ${value}` : called(label);
    case "date":
      return label === "" ? moment(value) : label;
    default:
      return called(label === "" ? kind : label);
  }
}

function called(name: string): string {
  return name.startsWith("@") ? name : `@${name}`;
}

/** `2026-11-03 09:12 UTC`; what is no moment, as it stands. */
function moment(seconds: string): string {
  const date = new Date(Number(seconds) * 1_000);
  if (Number.isNaN(date.getTime())) return seconds;
  return `${date.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}
