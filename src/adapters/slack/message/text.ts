import { utcMinute } from "../../../core/text/utc.ts";

/** Names by id of the people and channels in a text. Unknown ids are shown as they are. */
export interface Names {
  readonly people: ReadonlyMap<string, string>;
  readonly channels: ReadonlyMap<string, string>;
}

const PERSON = /<@(?<id>[UW][A-Z0-9]+)(?:\|[^<>]*)?>/gu;
const CHANNEL = /<#(?<id>[CDG][A-Z0-9]+)(?:\|)?>/gu;
/** A mention with the punctuation and blank that separate it from the words after it. */
const CALLED = /<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>[,:]?[ \t]?/gu;
const REFERENCE = /<(?<body>[^<>\n]+)>/gu;

/** Ids of the people mentioned in a text, in order, each once. */
export function mentionedIn(text: string): string[] {
  return [...new Set([...text.matchAll(PERSON)].map((match) => match.groups?.id ?? ""))];
}

/** Ids of the channels that a text mentions without a name, each once. */
export function channelsIn(text: string): string[] {
  return [...new Set([...text.matchAll(CHANNEL)].map((match) => match.groups?.id ?? ""))];
}

/** Id of the person whom a text begins by addressing; null if there is none. */
export function addressedFirst(text: string): string | null {
  return /^<@(?<id>[UW][A-Z0-9]+)/u.exec(text.trimStart())?.groups?.id ?? null;
}

/** Removes the mentions of one person, as when they only address the bot. */
export function withoutMentionOf(text: string, userId: string): string {
  return text
    .replaceAll(CALLED, (whole, id: string) => (id === userId ? "" : whole))
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** Converts mrkdwn for the model: mentions become names, links Markdown, and entities characters. */
export function readableText(text: string, names: Names): string {
  return text
    .replaceAll(REFERENCE, (whole, body: string) => reference(body, names) ?? whole)
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}

/** Escapes Slack's three control characters, so that nothing in the text is a mention or a link. */
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

/** A link. Slack makes links of words such as README.md or deploy.sh, for which only the typed label is kept. */
function link(target: string, label: string): string {
  if (target === `http://${label}` || target === `http://${label}/`) return label;
  const isAddress = label === "" || target === label || target.replace(/^(?:https?:\/\/|mailto:|tel:)/u, "") === label;
  return isAddress ? target.replace(/^mailto:/u, "") : `[${label}](${target})`;
}

/** Includes the id, since names change, and a private channel cannot be found by its name. */
function channel(id: string, name: string): string {
  return name === "" || name === id ? `#${id}` : `#${name}(${id})`;
}

/** Group mentions and dates. Source: Slack docs, Formatting text, Special mentions, Date formatting. */
function special(target: string, label: string): string {
  const [kind = "", value = "", format = "", address = ""] = target.split("^");
  switch (kind) {
    case "subteam":
      return label === "" ? `@group ${value}` : called(label);
    case "date":
      return address === "" ? formatTime(value, format, label) : link(address, formatTime(value, format, label));
    default:
      return called(label === "" ? kind : label);
  }
}

function called(name: string): string {
  return name.startsWith("@") ? name : `@${name}`;
}

/**
 * A time in its format, whose words people see, in UTC; `2026-11-03 09:12 UTC` without a format. People see the
 * fallback only if it is not a time.
 */
function formatTime(seconds: string, format: string, fallback: string): string {
  const at = Number(seconds) * 1_000;
  if (Number.isNaN(new Date(at).getTime())) return fallback || seconds;
  const [day = "", minute = ""] = utcMinute(at).split(" ");
  return (format || "{ago}")
    .replaceAll(/\{(?:date|day)_?\w{0,20}\}/gu, day)
    .replaceAll(/\{time_?\w{0,20}\}/gu, `${minute} UTC`)
    .replaceAll("{ago}", `${day} ${minute} UTC`);
}
