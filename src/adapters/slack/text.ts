/** Who and what a text names, by id; unknown ids read as themselves. */
export interface Names {
  readonly people: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
}

const PERSON = /<@(?<id>[UW][A-Z0-9]+)(?:\|(?<label>[^<>]*))?>/gu;
const REFERENCE = /<(?<body>[^<>\n]+)>/gu;

/** Ids of the people a text mentions, in order, each once. */
export function mentionedIn(text: string): string[] {
  return [...new Set([...text.matchAll(PERSON)].map((match) => match.groups?.id ?? ""))];
}

/** The id a text begins by addressing, or null. */
export function addressedFirst(text: string): string | null {
  return /^\s*<@(?<id>[UW][A-Z0-9]+)/u.exec(text)?.groups?.id ?? null;
}

/** The text without mentions of one person, as when they are called by name. */
export function withoutMentionOf(text: string, userId: string): string {
  return text
    .replaceAll(new RegExp(`<@${userId}(?:\\|[^<>]*)?>[,:]?[ \\t]?`, "gu"), "")
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

function reference(body: string, names: Names): string | null {
  const bar = body.indexOf("|");
  const target = bar === -1 ? body : body.slice(0, bar);
  const label = bar === -1 ? "" : body.slice(bar + 1);
  const id = target.slice(1);
  switch (target.charAt(0)) {
    case "@":
      return `@${names.people.get(id) ?? (label === "" ? id : label)}`;
    case "#":
      return `#${label === "" ? (names.channels.get(id) ?? id) : label}`;
    case "!":
      return label === "" ? `@${id.split("^", 1)[0] ?? id}` : label;
    default:
      if (!/^(?:https?|mailto|tel):/u.test(target)) return null;
      return label === "" || target.endsWith(label) ? target.replace(/^mailto:/u, "") : `[${label}](${target})`;
  }
}
